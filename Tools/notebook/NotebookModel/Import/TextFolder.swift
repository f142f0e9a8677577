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
      let keys: [URLResourceKey] = [.isDirectoryKey, .isRegularFileKey, .isSymbolicLinkKey]
      guard
        let entries = try? FileManager.default.contentsOfDirectory(
          at: folder, includingPropertiesForKeys: keys, options: [.skipsHiddenFiles])
      else {
        contents.skipped.append(
          .init(path: folder.path(percentEncoded: false), reason: "the folder cannot be read"))
        continue
      }
      for entry in entries {
        guard let values = try? entry.resourceValues(forKeys: Set(keys)), values.isSymbolicLink != true else {
          continue
        }
        if values.isDirectory == true {
          open.append(entry)
        } else if values.isRegularFile == true, TextFile.extensions.contains(entry.pathExtension.lowercased())
        {
          contents.files.append(entry)
        }
      }
    }
    contents.files.sort { $0.path < $1.path }
    contents.skipped.sort { $0.path < $1.path }
    return contents
  }
}
