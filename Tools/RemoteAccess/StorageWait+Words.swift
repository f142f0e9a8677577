import SyncProtocol

extension StorageWait {
  /// What a person is told who waits for it.
  var words: String {
    let seconds = max(1, Int(duration / .seconds(1)))
    let time = seconds < 120 ? "\(seconds) seconds" : "\(seconds / 60) minutes"
    let name = path == .root ? "the remote’s own folder" : "“\(path)” of the remote"
    let rest =
      switch others {
      case 0: " has"
      case 1: ", with one more file, has"
      default: ", with \(others) more files, has"
      }
    return
      "still waiting: \(name)\(rest) not come in full for \(time); it may yet come; Ctrl-C, twice if need be, ends this without a loss"
  }
}
