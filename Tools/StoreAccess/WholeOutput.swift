import CommandLineTool
import Foundation
import ObjectStore

/// Makes a file or a folder of files that appears under its name when it is complete, and not at all if something goes wrong.
package enum WholeOutput {
  /// Makes a file.
  ///
  /// - Parameters:
  ///   - path: Where it appears.
  ///   - overwriting: Whether it takes the place of one that is there.
  ///   - body: Writes it, with a function that adds a text.
  /// - Throws: ``ToolFailure`` if there is a file already, or it cannot be written; what `body` throws.
  package static func file(
    _ path: String, overwriting: Bool, _ body: (_ write: (String) throws -> Void) throws -> Void
  ) throws {
    if overwriting { try refuseOther(path) } else { try refuseExisting(path) }
    try working(path) { working in
      let file = try NewFile(working, shownAs: path)
      try body(file.write)
      try file.close(synchronizing: true)
      try move(working, to: path, overwriting: overwriting)
    }
  }

  /// Makes a folder of files.
  ///
  /// - Parameters:
  ///   - path: Where it appears.
  ///   - overwriting: Whether the files take the places of those that are there. Others in the folder stay.
  ///   - body: Writes the files into the folder of which it gets the path.
  /// - Throws: ``ToolFailure`` if there is something of this name, or it cannot be written; what `body` throws.
  package static func folder(
    _ path: String, overwriting: Bool, _ body: (_ folder: String) throws -> Void
  ) throws {
    if !overwriting { try refuseExisting(path) }
    try working(path) { working in
      guard mkdir(working, 0o700) == 0 else {
        throw ToolFailure(systemError: errno, "“\(path)” cannot be made", advice: "choose another place")
      }
      try body(working)
      guard FileManager.default.fileExists(atPath: path) else {
        return try move(working, to: path, overwriting: overwriting)
      }
      for name in try FileManager.default.contentsOfDirectory(atPath: working).sorted() {
        try move("\(working)/\(name)", to: "\(path)/\(name)", overwriting: overwriting)
      }
    }
  }

  /// Lends a place on the same disk, as new stores are made in.
  private static func working(_ path: String, _ body: (String) throws -> Void) throws {
    do { try WholeFile.work(for: path, body) } catch {
      throw ToolFailure(storeError: error) ?? error
    }
  }

  private static func refuseExisting(_ path: String) throws(ToolFailure) {
    var status = stat()
    guard lstat(path, &status) != 0 else {
      throw ToolFailure(
        .alreadyExists, "“\(path)” exists already", advice: "choose another name, or give --overwrite")
    }
  }

  /// Refuses to replace what is no file: a pipe or a device is not written by taking its place.
  private static func refuseOther(_ path: String) throws(ToolFailure) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard [S_IFREG, S_IFLNK].contains(status.st_mode & S_IFMT) else {
      throw ToolFailure(
        .alreadyExists, "“\(path)” is no file, and is not replaced",
        advice: "choose another name, or leave --output out and redirect the output")
    }
  }

  private static func move(_ temporary: String, to path: String, overwriting: Bool) throws(ToolFailure) {
    if !overwriting { try refuseExisting(path) }
    guard rename(temporary, path) == 0 else {
      throw ToolFailure(
        systemError: errno, "“\(path)” cannot be written", advice: "choose another place")
    }
  }
}
