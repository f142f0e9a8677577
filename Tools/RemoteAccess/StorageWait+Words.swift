import SyncProtocol

extension StorageWait {
  /// What a person is told who waits for it.
  var words: String {
    let seconds = max(1, Int(duration / .seconds(1)))
    let time = seconds < 120 ? "\(seconds) seconds" : "\(seconds / 60) minutes"
    let name = path == .root ? "The remote’s folder" : "“\(path)”"
    let rest =
      switch others {
      case 0: ""
      case 1: ", and one more file"
      default: ", and \(others) more files"
      }
    return
      "still waiting: \(name)\(rest) of the remote has not come for \(time); it may yet come; Ctrl-C, twice if need be, ends this without a loss"
  }
}
