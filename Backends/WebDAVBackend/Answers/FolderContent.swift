import TICDSHTTP
import SyncProtocol

/// What a 207 answer says of one folder, or of one entry.
struct FolderContent: Equatable, Sendable {
  /// How much of a name or reference that is none of ours is told, in bytes. File systems have no longer names.
  private static let foreignLimit = 255
  var listing = RemoteListing()
  /// Temporary files that nobody will finish.
  var abandoned: [String] = []

  /// Why an answer says nothing of what was asked.
  enum Refusal: Error, Equatable {
    /// It is not there.
    case absent
    /// It is a file.
    case isFile
    /// It is not complete, or not to be believed.
    case damaged(String)
  }

  /// Interprets the answer to a PROPFIND of depth 1.
  ///
  /// A reference that is none of an entry of the folder is told among the foreign names as it stands, and spoils nothing else. Of a
  /// long one the beginning is told.
  ///
  /// - Parameters:
  ///   - address: what was asked for, and answered.
  ///   - now: the time by the server's clock, in seconds since 1970.
  ///   - trusts: whether the server's strong ETags differ whenever contents do.
  init(
    _ responses: [MultistatusResponse], in address: HTTPAddress, now: Int64?, trustsETags trusts: Bool
  ) throws(Refusal) {
    var hasItself = false
    // By their bytes: as texts, two forms of one character would be equal.
    var names: Set<[UInt8]> = []
    var strange: Set<[UInt8]> = []
    for response in responses {
      switch Href(response.href, in: address) {
      case .strange:
        let text = Self.shortened(response.href)
        if strange.insert(Array(text.utf8)).inserted { listing.foreign.append(text) }
      case .itself:
        if response.isAbsent { throw .absent }
        // 507 here means that not all entries were listed.
        if let status = response.status, status >= 400 {
          throw .damaged("the folder is not listed in full: status \(status)")
        }
        guard response.isFolder else {
          throw hasItself ? .damaged("the answer shows the folder as a folder and as a file") : .isFile
        }
        hasItself = true
      case .child(let name):
        // What has gone while the folder was listed.
        guard !response.isAbsent, names.insert(Array(name.utf8)).inserted else { continue }
        add(name, response, now, trusts)
      }
    }
    guard hasItself else { throw .damaged("the answer does not speak of the folder that was listed") }
  }

  private mutating func add(_ name: String, _ response: MultistatusResponse, _ now: Int64?, _ trusts: Bool) {
    if TemporaryName.matches(name), !response.isFolder {
      if let now, let modified = response.properties.modified.flatMap(HTTPDate.seconds),
        now - modified > TemporaryName.abandonedAfter
      {
        abandoned.append(name)
      }
    } else if let valid = RemoteName(name) {
      listing.entries.append(response.entry(valid, trustsETags: trusts))
    } else {
      listing.foreign.append(Self.shortened(name))
    }
  }

  private static func shortened(_ text: String) -> String {
    guard text.utf8.count > foreignLimit else { return text }
    let mark = "…"
    var bytes = text.utf8.prefix(foreignLimit - mark.utf8.count)
    // Not within a character.
    while let last = bytes.last, last & 0xC0 == 0x80 { bytes = bytes.dropLast() }
    if let last = bytes.last, last >= 0xC0 { bytes = bytes.dropLast() }
    return String(Substring(bytes)) + mark
  }

  /// Interprets the answer to a PROPFIND of depth 0.
  static func entry(
    _ responses: [MultistatusResponse], named name: RemoteName, at address: HTTPAddress, trustsETags: Bool
  ) throws(Refusal) -> RemoteEntry {
    var doubt = "the answer does not speak of what was asked for"
    for response in responses {
      switch Href(response.href, in: address) {
      case .strange(let reason): doubt = reason
      case .child: continue
      case .itself:
        if response.isAbsent { throw .absent }
        return response.entry(name, trustsETags: trustsETags)
      }
    }
    throw .damaged(doubt)
  }
}

extension MultistatusResponse {
  /// Whether it says that nothing is there. Some servers say so of each property.
  var isAbsent: Bool {
    if let status { return status == 404 || status == 410 }
    return !hasProperties && missingStatus == 404
  }

  /// Servers that leave out the type of what is no folder show a folder by its slash.
  var isFolder: Bool { properties.isCollection ?? href.hasSuffix("/") }

  func entry(_ name: RemoteName, trustsETags: Bool) -> RemoteEntry {
    guard !isFolder else { return RemoteEntry(name: name, kind: .folder) }
    let version = properties.etag.flatMap { etag in
      trustsETags && etag.hasPrefix("\"") && etag.utf8.count > 2 ? etag : nil
    }
    return RemoteEntry(
      name: name, kind: .file, size: properties.length,
      modified: properties.modified.flatMap(HTTPDate.seconds).map { .seconds($0) }, version: version)
  }
}
