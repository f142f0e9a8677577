import CommandLineTool
import Foundation

/// `import`: brings in the notes of an export, or makes a note of each Markdown or text file below a folder, tagged with its folder's name.
///
/// All notes are saved at once, so that a failure leaves none of them.
enum ImportVerb {
  static let source = Parameter.positional(
    "SOURCE",
    "A file that “export” wrote, “-” for standard input, or a folder with Markdown and text files, also below it."
  )

  static let command = StoreParameters.command(
    "import", "Brings in exported notes by their identifiers, or makes a note of each text file in a folder.",
    [source]
  ) { notebook, arguments, console in
    let path = try arguments[source]
    var isFolder: ObjCBool = false
    let isFile = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    if path == "-" {
      try merge(
        try console.readInput(limit: NoteArchive.sizeLimit), of: "standard input", notebook, arguments,
        console)
    } else if isFile {
      try merge(try bytes(of: path), of: path, notebook, arguments, console)
    } else {
      try importFolder(path, notebook, arguments, console)
    }
  }

  // MARK: Exports

  private static func bytes(of path: String) throws(ToolFailure) -> [UInt8] {
    var status = stat()
    // Nobody may ever write to a pipe, and nothing would end the waiting.
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw ToolFailure.usage(
        "“\(path)” is no file", advice: "give “-” as SOURCE, and what is to be imported on standard input")
    }
    let data: Data?
    do {
      let handle = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { try? handle.close() }
      data = try handle.read(upToCount: NoteArchive.sizeLimit + 1)
    } catch {
      throw ToolFailure(.forbidden, "“\(path)” cannot be read", advice: "check its owner and permissions")
    }
    guard let data, !data.isEmpty, data.count <= NoteArchive.sizeLimit else {
      throw ToolFailure(
        .damaged,
        data?.isEmpty != false
          ? "“\(path)” is empty" : "“\(path)” is larger than \(NoteArchive.sizeLimit >> 20) MiB",
        advice: "name a file that “notebook export” wrote")
    }
    return [UInt8](data)
  }

  private static func merge(
    _ bytes: [UInt8], of path: String, _ notebook: Notebook, _ arguments: Arguments, _ console: Console
  ) throws {
    let archive: NoteArchive
    do throws(JSONDocument.Failure) {
      archive = try NoteArchive(bytes)
    } catch {
      if TextFile.extensions.contains(URL(filePath: path).pathExtension.lowercased()) {
        throw ToolFailure(
          .damaged, "“\(path)” is nothing that “notebook export” wrote",
          advice: "to import text files, name the folder that they are in")
      }
      throw ToolFailure(
        .damaged, "“\(path)” cannot be imported: in line \(error.line) \(error.reason)",
        advice: "nothing was changed; correct the file, or export it anew")
    }
    let outcome = try NoteMerge(notebook: notebook).merge(archive.notes)
    try notebook.context.save()
    if try arguments[StoreParameters.json] {
      return console.print(
        json(
          imported: outcome.added, changed: outcome.changed, unchanged: outcome.unchanged,
          newerHere: outcome.newerHere, incomplete: outcome.incomplete, skipped: []
        ).text)
    }
    for note in outcome.newerHere {
      console.complain(
        PrintableText.line(
          "notebook: the note “\(note)” was changed later here, and keeps its title and text."))
    }
    for note in outcome.incomplete {
      console.complain(
        PrintableText.line("notebook: the text of the note “\(note)” had not arrived where it was exported."))
    }
    console.print(
      "imported \(SyncOutput.count(outcome.added, "note")), changed \(outcome.changed), unchanged \(outcome.unchanged)"
    )
  }

  // MARK: Text files

  private static func importFolder(
    _ path: String, _ notebook: Notebook, _ arguments: Arguments, _ console: Console
  ) throws {
    let contents = try TextFolder(path: path).contents()
    var skipped = contents.skipped
    for file in contents.files {
      try Task.checkCancellation()
      let text: TextFile
      do throws(TextFile.Skipped) {
        text = try TextFile(file)
      } catch {
        skipped.append(error)
        continue
      }
      _ = try notebook.insertNote(
        title: text.title, content: text.content, tags: text.tag.isEmpty ? [] : [text.tag], at: Date())
    }
    let imported = notebook.context.insertedObjects.count { $0 is Note }
    try notebook.context.save()
    if try arguments[StoreParameters.json] {
      return console.print(
        json(imported: imported, changed: 0, unchanged: 0, newerHere: [], incomplete: [], skipped: skipped)
          .text)
    }
    for file in skipped { console.complain("notebook: “\(file.path)” was skipped because \(file.reason).") }
    // Folders and links are among them.
    let rest = skipped.isEmpty ? "" : ", skipped \(SyncOutput.count(skipped.count, "file"))"
    console.print("imported \(SyncOutput.count(imported, "note"))\(rest)")
  }

  private static func json(
    imported: Int, changed: Int, unchanged: Int, newerHere: [String], incomplete: [String],
    skipped: [TextFile.Skipped]
  ) -> JSONValue {
    [
      "imported": .integer(Int64(imported)), "changed": .integer(Int64(changed)),
      "unchanged": .integer(Int64(unchanged)), "newerHere": .array(newerHere.map { .string($0) }),
      "incomplete": .array(incomplete.map { .string($0) }),
      "skipped": .array(
        skipped.map { ["path": .string($0.path), "reason": .string($0.reason)] }),
    ]
  }
}
