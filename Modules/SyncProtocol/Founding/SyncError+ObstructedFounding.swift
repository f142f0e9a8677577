extension SyncError {
  /// The failure of a device that wants to join, where something else lies in the place of what says who founded the remote or the document.
  static func obstructedFounding(_ path: RemotePath) -> SyncError {
    SyncError(
      .damaged, subject: "“\(path)” on the remote",
      "Something else lies where the records of foundings belong.",
      recovery:
        "Move it out of the way. A device that has joined puts its record back within a day of synchronising."
    )
  }
}
