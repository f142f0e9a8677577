import ShownText

/// Names in which upper and lower case were changed.
extension RemoteListing {
  /// Refuses to found where a folder lies already, but for upper and lower case: a replicator, or a file system that does not tell them
  /// apart, may have changed its name, and a second founding beside it would part the devices.
  ///
  /// - Throws: ``SyncError`` with `notDelivered`.
  func requireCase(of folders: [RemotePath], in parent: RemotePath) throws(SyncError) {
    for folder in folders {
      guard let name = folder.names.dropFirst(parent.names.count).first?.description else { continue }
      let other = (entries.map(\.name.description) + foreign).first {
        $0 != name && $0.lowercased() == name.lowercased()
      }
      guard let other else { continue }
      let place = parent.names.isEmpty ? other : "\(parent)/\(other)"
      throw SyncError(
        .notDelivered, subject: place,
        "“\(PrintableText.line(place))” lies on the remote in place of “\(name)”: something that copies the files has changed upper and lower case.",
        recovery: "Rename it to “\(name)”, and look whether more was renamed; nothing is created meanwhile.")
    }
  }
}
