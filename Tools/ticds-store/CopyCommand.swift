import ChangeTracking
import CommandLineTool
import ObjectStore
import StoreAccess

/// `copy`: writes a store anew, perhaps as the other kind.
enum CopyCommand {
  private static let source = Parameter<String>.positional("SRC", "The store to copy. It is not written.")
  private static let destination = Parameter<String>.positional(
    "DST", "The new store; there must be no such file.")
  private static let kind = Parameter<String?>.optional(
    "as", placeholder: "sqlite|binary",
    "The kind of the new store. Without it: that of the old one, which an XML store cannot have.")

  static let command = Command(
    "copy", "Writes all objects of a store into a new one; WRITES the file DST.",
    [source, destination, kind, StoreParameters.model, StoreParameters.lossy],
    perform: { arguments, console in
      let kind = try storeKind(arguments[kind])
      try StoreParameters.refuseJournal(arguments[destination])
      let store = try StoreFile(
        path: arguments[source], model: arguments[StoreParameters.model].map(ModelArgument.load))
      let losses = try store.losses(copyingAs: kind ?? store.kind)
      // Of the other kind these are losses.
      for missing in try (kind ?? store.kind) == store.kind ? store.missingContents() : [] {
        console.complain(PrintableText.line("ticds-store: the store lacks, and so will the copy: \(missing)"))
      }
      try StoreParameters.report(
        losses, isAllowed: arguments[StoreParameters.lossy], console)
      try store.copy(to: arguments[destination], as: kind)
      if try store.persistentStore?.isSynchronized() == true { console.complain(isNoBackup) }
    })

  private static let isNoBackup =
    "ticds-store: the store is synchronised, and the copy is not: in its place it would not know what was synchronised. To keep it as it is, copy the file itself, with those beside it, while nobody has it open; to take its objects elsewhere, use what the application exports and imports (“notebook export” and “notebook import”)."

  static func storeKind(_ text: String?) throws(ToolFailure) -> StoreFile.Kind? {
    guard let text else { return nil }
    guard let kind = StoreFile.Kind(rawValue: text), StoreFile.Kind.writable.contains(kind) else {
      throw .usage("--as does not take “\(text)”", advice: "it takes sqlite or binary")
    }
    return kind
  }
}
