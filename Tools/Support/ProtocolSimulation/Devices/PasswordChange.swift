/// What a device does with the passwords of a remote.
enum PasswordChange: Sendable {
  case add(String)
  case change(from: String, to: String)
  case remove(String)
  case replaceKeys(String)

  /// The password that opens the remote from now on.
  var added: String? {
    switch self {
    case .add(let password), .change(_, let password), .replaceKeys(let password): password
    case .remove: nil
    }
  }

  /// The password that opens nothing from now on.
  var removed: String? {
    switch self {
    case .change(let password, _), .remove(let password): password
    case .add, .replaceKeys: nil
    }
  }
}
