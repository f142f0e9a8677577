import ChangeTracking
import Crypto
import TICDSOpenSSL

/// Who synchronises: the application, and this installation of it.
public struct ApplicationConfiguration: Sendable {
  /// The application's global identifier, for example `com.example.notebook`. Names a folder on the remote.
  public let application: RemoteName
  /// The client's identifier: one for each installation, the same for ever. Names a folder on the remote.
  public let client: RemoteName
  /// What a person calls this device: one line of at most 100 characters. What is longer is cut, for it stands within sentences on every
  /// device.
  public var clientDescription: String {
    didSet { clientDescription = DeviceName.shown(clientDescription) }
  }
  /// What the application wants other clients to know about this one.
  public var userInformation: [String: String]
  /// The cost of trying one password, for new key files.
  public var passwordCost: Scrypt.Parameters = .standard
  /// The fewest characters of a new password. Those of existing remotes are not judged.
  public var passwordMinimum = 8
  /// A file beside the store, which need not exist, in which it is remembered on which key files of the remote a password was tried without success.
  /// It is written only if there are more than are tried at once, which is an attacker's doing; without it each attempt begins anew, and
  /// chance decides. Everything in it can do without; the next attempt is to name the same.
  public var triedKeyFiles: String?
  /// How often and when a request that failed is tried again.
  public var retries = RetryPolicy()
  /// Waits before a request is tried again.
  public var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  /// Draws the names of new files.
  public var random: @Sendable () -> any RandomNumberGenerator = { SystemRandomNumberGenerator() }
  /// Where keys, salts and nonces come from. Another source than the system's is for simulations within this package, which must be
  /// the same each time; nobody else can set one.
  package var secrets: any RandomSource = .system
  /// The wall clock, in milliseconds since 1970.
  public var now: @Sendable () -> UInt64 = WallClock.milliseconds

  /// Describes application and client.
  ///
  /// - Throws: ``SyncError`` with `invalidIdentifier` unless both identifiers are 1 to 100 ASCII letters, digits, `.`,
  ///   `_` and `-`, without a dot at either end.
  public init(
    application: String, client: String, clientDescription: String, userInformation: [String: String] = [:]
  ) throws(SyncError) {
    self.application = try Self.name(application, of: "application")
    self.client = try Self.name(client, of: "client")
    self.clientDescription = DeviceName.shown(clientDescription)
    self.userInformation = userInformation
  }

  static func name(_ identifier: String, of what: String) throws(SyncError) -> RemoteName {
    guard let name = RemoteName(identifier) else {
      throw SyncError(
        .invalidIdentifier, "The identifier of the \(what) cannot be the name of a file.",
        recovery:
          "Use 1 to 100 ASCII letters, digits, dots, underscores and hyphens, with no dot at either end.")
    }
    return name
  }

  /// Refuses a new password that could be guessed.
  func requireStrength(of password: String) throws(SyncError) {
    guard password.count < passwordMinimum else {
      // Whoever asks for one character only asks for nothing.
      guard passwordMinimum > 1, CommonPasswords.contains(password) else { return }
      throw SyncError(
        .weakPassword, "The password is one of the first that are tried, so it could be guessed.",
        recovery: "Choose another one; several words are easy to remember and hard to guess.")
    }
    throw SyncError(
      .weakPassword, "The password has fewer than \(passwordMinimum) characters, so it could be guessed.",
      recovery: "Choose a longer one; several words are easy to remember and hard to guess.")
  }

  /// A back end as the managers use it: what fails for a reason that passes is tried again.
  func retrying(_ backend: any SyncBackend) -> RetryingBackend {
    RetryingBackend(backend, policy: retries, pause: pause)
  }
}
