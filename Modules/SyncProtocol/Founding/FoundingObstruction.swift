/// Something else in the place of a founding record, or of the folder where these lie: waiting would not help.
extension RemotePath {
  /// What lies in the way of founding records, if this is the path of their folder.
  ///
  /// - Parameters:
  ///   - others: names of what lies beside the folder and is no folder.
  ///   - records: what lies in the folder.
  func obstruction(_ others: Set<String>, _ records: RemoteListing) -> RemotePath? {
    if let name, others.contains(name.description) { return self }
    let folders = records.entries.filter { $0.kind == .folder }.map(\.name)
    // Links and the like are listed by their names alone.
    let taken = (folders + records.foreign.compactMap { RemoteName($0) }).filter { FoundingName($0) != nil }
    return taken.min { $0.description < $1.description }.map { self / $0 }
  }
}

extension SyncError {
  /// The failure of a device that wants to join, where something else lies in the place of what says who founded the remote or the document.
  static func obstructedFounding(_ path: RemotePath) -> SyncError {
    SyncError(
      .damaged, subject: "“\(path)” on the remote",
      "Something else lies where the record of a founding belongs.",
      recovery:
        "Move it out of the way. A device that has joined puts the record back within a day of synchronising."
    )
  }
}
