import Crypto

extension KeyUnlocking.Result {
  /// Why a password that opened nothing may be right all the same: the storage does not hand out a key file which it may open. `nil` if it
  /// is plain that it opens none.
  ///
  /// - Parameter founded: the keys that founding records name. Where there are any, the file of another key may be a stranger's, and tells
  ///   nothing of the password.
  package func refusal(founded: Set<KeyIdentifier>) -> BackendError? {
    guard keys.isEmpty, !isWithdrawn, !isCutShort else { return nil }
    let files = refused.filter { founded.isEmpty || founded.contains($0.key.key) }
    guard let failure = files.min(by: { $0.key < $1.key })?.value else { return nil }
    return failure.ofKeyFile(others: files.count - 1, tried: tried + triedBefore)
  }
}

extension BackendError {
  /// The same failure, told of the file of a key that has come in the place of one at hand.
  var ofNewKeyFile: BackendError {
    told(
      "the keys of the remote were replaced, and this file holds the new one",
      "then give this device the new password")
  }

  /// The same failure, told of a file that holds passwords of a key at hand.
  var ofPasswords: BackendError { told("it may hold passwords of the remote", "and try again") }

  private func told(_ words: String, _ next: String) -> BackendError {
    BackendError(
      code, path: path, detail: detail.isEmpty ? words : "\(detail); \(words)",
      recovery: isAdvised ? recovery : "\(Self.permission(toRead: path.parent ?? path)), \(next).")
  }

  /// Whether whoever reports it knows better than the code what to do.
  private var isAdvised: Bool { recovery != BackendError(code, path: path).recovery }

  private static func permission(toRead folder: RemotePath) -> String {
    "Give this account permission to read what lies in “\(folder)”"
  }

  /// The same failure, told of a key file.
  ///
  /// - Parameters:
  ///   - others: how many key files beside it the storage does not hand out.
  ///   - tried: on how many it does the password was tried in vain.
  func ofKeyFile(others: Int, tried: Int) -> BackendError {
    let folder = "“\(path.parent ?? path)”"
    var words = [detail].filter { !$0.isEmpty }
    words.append("the remote is encrypted, and this key file may open it")
    if others > 0 { words.append("the same goes for \(others) more in \(folder)") }
    if tried > 0 { words.append("none of the others there opens with the password") }
    let advice =
      "\(Self.permission(toRead: path.parent ?? path)), and try again\(tried > 0 ? "; if it has that, check the password" : "")."
    return BackendError(
      code, path: path, detail: words.joined(separator: "; "), recovery: isAdvised ? recovery : advice)
  }
}
