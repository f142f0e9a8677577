import CommandLineTool
import Foundation
import StoreAccess

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A notebook's folder that is being made, beside the place where it appears complete or not at all.
struct NotebookDraft {
  let folder: NotebookFolder
  private let destination: NotebookFolder
  /// Shows those who sweep that somebody is at work here.
  private let lock: SyncLock

  private static let suffix = ".tmp"
  /// A folder without a lock is left alone for so long: its maker may be about to lock it.
  private static let age: TimeInterval = 60 * 60

  init(of destination: NotebookFolder) throws(ToolFailure) {
    self.destination = destination
    let path = "\(destination.path).\(UUID().uuidString.prefix(8))\(Self.suffix)"
    folder = NotebookFolder(url: URL(filePath: path, directoryHint: .isDirectory))
    do {
      try FileManager.default.createDirectory(
        at: folder.url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      let isFull = ToolFailure(storeError: error)?.status == .full
      throw ToolFailure(
        isFull ? .full : .forbidden, "the folder “\(destination.path)” cannot be made",
        advice: isFull ? "free some space on that disk" : "check the permissions of the folder above")
    }
    do {
      lock = try SyncLock(folder)
    } catch {
      try? FileManager.default.removeItem(at: folder.url)
      throw error
    }
  }

  func publish() throws(ToolFailure) {
    // Only an empty folder can be replaced.
    guard rename(folder.url.path(percentEncoded: false), destination.path) == 0 else {
      throw ToolFailure(
        .alreadyExists, "“\(destination.path)” exists already", advice: "choose a new folder")
    }
  }

  func remove() { try? FileManager.default.removeItem(at: folder.url) }

  /// Removes the drafts of a notebook whose makers were killed.
  static func sweep(beside destination: NotebookFolder) {
    let above = destination.url.deletingLastPathComponent()
    let prefix = destination.url.lastPathComponent + "."
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: above.path(percentEncoded: false))) ?? []
    for name in names where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
      let middle = name.dropFirst(prefix.count).dropLast(suffix.count)
      guard middle.count == 8, middle.allSatisfy(\.isHexDigit) else { continue }
      let draft = NotebookFolder(url: above.appending(path: name, directoryHint: .isDirectory))
      guard isAbandoned(draft) else { continue }
      try? FileManager.default.removeItem(at: draft.url)
    }
  }

  private static func isAbandoned(_ draft: NotebookFolder) -> Bool {
    if FileManager.default.fileExists(atPath: draft.lock.path(percentEncoded: false)) {
      return (try? SyncLock(draft)) != nil
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: draft.path)
    guard let changed = attributes?[.modificationDate] as? Date else { return false }
    return Date().timeIntervalSince(changed) > age
  }
}
