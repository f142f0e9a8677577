import CommandLineTool
import Foundation

/// Finds the Markdown and text files below a folder, in the order of their paths.
///
/// Hidden entries are left out, and symbolic links are not followed, so that no link can lead in a circle.
struct TextFolder {
  /// What was found.
  struct Contents {
    var files: [URL] = []
    var skipped: [TextFile.Skipped] = []
  }

  let root: URL

  /// Names a folder. It must exist, so that a mistyped name is not taken for an empty folder.
  init(path: String) throws(ToolFailure) {
    root = URL(filePath: path, directoryHint: .isDirectory)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw ToolFailure(.notFound, "there is no folder “\(path)”")
    }
    guard isFolder.boolValue else {
      throw ToolFailure(.notFound, "“\(path)” is a file, not a folder", advice: "name the folder it lies in")
    }
    guard FileManager.default.isReadableFile(atPath: path), FileManager.default.isExecutableFile(atPath: path)
    else {
      throw ToolFailure(
        .forbidden, "the folder “\(path)” cannot be read", advice: "check its owner and permissions")
    }
  }

  /// Walks through the folder.
  func contents() -> Contents {
    var contents = Contents()
    var open = [root]
    while let folder = open.popLast() {
      let path = folder.path(percentEncoded: false)
      guard let names = FolderNames(path) else {
        contents.skipped.append(.init(path: path, reason: "the folder cannot be read"))
        continue
      }
      for name in names.unreadable {
        contents.skipped.append(
          .init(
            path: folder.appending(path: name).path(percentEncoded: false), reason: "its name is not UTF-8"))
      }
      for name in names.readable where !name.hasPrefix(".") { look(at: name, in: folder, &contents, &open) }
    }
    contents.files.sort { $0.path < $1.path }
    contents.skipped.sort { $0.path < $1.path }
    return contents
  }

  private func look(at name: String, in folder: URL, _ contents: inout Contents, _ open: inout [URL]) {
    let entry = folder.appending(path: name, directoryHint: .notDirectory)
    let path = entry.path(percentEncoded: false)
    let isText = TextFile.extensions.contains(entry.pathExtension.lowercased())
    var status = stat()
    guard lstat(path, &status) == 0 else {
      // What has gone meanwhile is missed by nobody.
      if errno != ENOENT, isText { contents.skipped.append(.init(path: path, reason: "it cannot be read")) }
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: open.append(folder.appending(path: name, directoryHint: .isDirectory))
    case S_IFREG: if isText { contents.files.append(entry) }
    case S_IFLNK:
      // Of links to files of other kinds, as of such files themselves, nothing is said.
      if isText || isLinkToFolder(path) {
        contents.skipped.append(.init(path: path, reason: "it is a link, and links are not followed"))
      }
    default: if isText { contents.skipped.append(.init(path: path, reason: "it is no regular file")) }
    }
  }

  private func isLinkToFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }
}
