import CommandLineTool
import Inspection
import SyncProtocol

extension ToolFailure {
  /// Returns the exit status and the sentence for an error of the inspection; `nil` for an error of another kind.
  ///
  /// - Parameter remote: the remote as a person named it.
  public init?(inspection error: any Error, remote: String) {
    switch error {
    case let error as InspectionError: self.init(error, remote: remote)
    case let error as BackendError: self.init(error, remote: remote, isInspecting: true)
    default: return nil
    }
  }

  private init(_ error: InspectionError, remote: String) {
    switch error {
    case .storage(let failure), .keyFileRefused(let failure):
      self.init(failure, remote: remote, isInspecting: true)
    case .wrongPassword:
      self.init(
        .wrongPassword, "the password does not open this remote",
        advice:
          "give the one that holds now; if an older “Encryption” was put back, put the present one back from a copy with “ticds-inspect repair REMOTE --from COPY”"
      )
    case .keyFilesCrowded(let tried, let count):
      self.init(
        .wrongPassword,
        "the password was tried on \(tried) of the \(count) key files in “Encryption”, more than are tried at once, and opens none of these; it may be right all the same",
        advice:
          "move the key files that others have put there elsewhere; a device that has joined and is synchronised puts the right one back within a day"
      )
    case .keyFilesLate(let keys):
      let shown = keys.prefix(3).map { "\($0)" }.joined(separator: ", ")
      self.init(
        .wrongPassword,
        "the password opens no key file that is there, and \(keys.count == 1 ? "that of the key \(shown), which a founding record names, is" : "those of \(keys.count) keys that founding records name, \(shown)\(keys.count > 3 ? " …" : ""), are") late or lost",
        advice:
          "wait until the storage has delivered all files; if it stays so, put “Encryption” back with “ticds-inspect repair REMOTE --from COPY”, which a device that has joined does too within a day of being synchronised again and again, or give the password from before the keys were replaced"
      )
    case .passwordNeeded:
      self.init(
        .wrongPassword, "the remote is encrypted", advice: "give its password with --password-file")
    case .nothingThere:
      self.init(
        .notFound, "there are no sync data in this folder",
        advice: "name the folder that the devices were given as their remote")
    case .onlyLinks(let names):
      let shown = names.prefix(3).map { "“\(PrintableText.line($0))”" }.joined(separator: ", ")
      self.init(
        .notFound,
        "there are no sync data in this folder, and \(names.count == 1 ? "\(shown) in it is a link" : "\(shown) in it are links"), which no device follows",
        advice:
          "move the folder that it leads to in its place, or put it back from a copy of the remote with “ticds-inspect repair REMOTE --from COPY”"
      )
    case .underOtherName(let name, let right):
      let shown = PrintableText.line(name)
      self.init(
        .notFound,
        "sync data lie in “\(shown)”, a name that no device looks for: conflict copies, downloads and backups get such names",
        advice: right.map { "rename that folder to “\(PrintableText.line($0))”, if nothing lies there" }
          ?? "give that folder the name that it had, which is the identifier of the application; the password may tell it"
      )
    case .withinHierarchy:
      self.init(
        .notFound, "this is a folder within a remote",
        advice: "name the folder that the devices were given, above this one")
    case .aroundRemote(let name):
      self.init(
        .notFound, "this is the folder around the remote “\(PrintableText.line(name))”",
        advice: "name that folder")
    case .withinItself(let name):
      let shown = PrintableText.line(name)
      self.init(
        .notFound,
        "the sync data lie in “\(shown)/\(shown)”: the folder “\(shown)” was moved into itself, or this is the folder around the remote",
        advice:
          "if the devices were given this folder, move what lies in “\(shown)/\(shown)” up into “\(shown)”; if they were given “\(shown)”, name that"
      )
    case .keyFile(let path, let failure):
      self.init(
        .damaged, "the key file “\(path)” cannot be used: \(failure.detail)", advice: "restore it from a copy"
      )
    case .noFile(let path):
      self.init(
        .notFound, "there is no file “\(PrintableText.line(path))” that can be read",
        advice: "“ticds-inspect tree” lists the files of a remote")
    case .noDocument(let name, let all):
      let names = all.prefix(20).map { "“\(PrintableText.line($0))”" }.joined(separator: ", ")
      self.init(
        .notFound,
        name.map { "there is no document “\(PrintableText.line($0))”" }
          ?? "it is not said which document is meant",
        advice: all.isEmpty ? "the remote holds none" : "there are: \(names)")
    case .noDevice(let name, let all, let isAmbiguous):
      let names = all.prefix(20).map { "“\(PrintableText.line($0))”" }.joined(separator: ", ")
      let shown = PrintableText.line(name)
      self.init(
        .notFound, isAmbiguous ? "several devices are called “\(shown)”" : "no device is called “\(shown)”",
        advice: all.isEmpty ? "the document has none" : "there are: \(names)")
    case .noState(let reason):
      self.init(.incomplete, "the state cannot be made: \(PrintableText.line(reason))")
    case .partsElsewhere(let document, let places):
      let shown = places.prefix(3).map { "“\(PrintableText.line($0))”" }.joined(separator: ", ")
      self.init(
        .undecided,
        "what belongs into \(shown) lies under another name, and “\(PrintableText.line(document))” would be rebuilt without it",
        advice: "give it its name, as “ticds-inspect verify” says, and look then whether anything is missing")
    // Who gave a copy knows its name, and says so instead.
    case .copy(let error): self.init(error, remote: remote)
    case .cancelled: self.init(.interrupted, "cancelled")
    }
  }
}
