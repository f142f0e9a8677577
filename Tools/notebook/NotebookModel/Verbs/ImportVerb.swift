import CommandLineTool
import Foundation

/// `import`: makes a note of each Markdown or text file below a folder, tagged with its folder's name.
///
/// All notes are saved at once, so that a failure leaves none of them.
enum ImportVerb {
  static let source = Parameter.positional("FOLDER", "The folder; its subfolders are looked through, too.")

  static let command = StoreParameters.command(
    "import", "Makes a note of each Markdown or text file below a folder.", [source]
  ) { notebook, arguments, console in
    let contents = try TextFolder(path: try arguments[source]).contents()
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
    for file in skipped { console.complain("notebook: “\(file.path)” was skipped because \(file.reason).") }
    let rest = skipped.isEmpty ? "" : ", skipped \(count(skipped.count, "file"))"
    console.print("imported \(count(imported, "note"))\(rest)")
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}
