import CommandLineTool
import SyncProtocol

/// `upload-store`: uploads a copy of all notes, from which new devices begin.
enum UploadStoreVerb {
  static let command = Command(
    "upload-store", "Exchanges changes, then uploads a copy of all notes that new devices begin with.",
    [StoreParameters.store, StoreParameters.json]
  ) { arguments, console in
    let folder = try StoreParameters.folder(arguments)
    try await NotebookSync.withDocument(of: folder) { document in
      let upload = try await document.uploadStore()
      if try arguments[StoreParameters.json] {
        console.print(json(upload).text)
        return
      }
      for finding in upload.report.findings {
        console.complain("notebook: \(upload.report.sentence(finding))")
      }
      let sets = SyncOutput.count(upload.name.total, "set")
      console.print(
        upload.size.map { "Uploaded a whole store of \(sets), \(SyncOutput.count($0, "byte"))." }
          ?? "The remote holds a whole store of \(sets) of this device; nothing was changed since.")
    }
  }

  private static func json(_ upload: WholeStoreUpload) -> JSONValue {
    [
      "name": .string(upload.name.name.description), "uploaded": .boolean(upload.size != nil),
      "bytes": upload.size.map { .integer($0) } ?? .null,
      "sets": .integer(Int64(clamping: upload.name.total)), "sync": SyncOutput.json(upload.report),
    ]
  }
}
