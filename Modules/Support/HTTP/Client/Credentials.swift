/// What proves to a server who asks. Never printed: its description says only of which kind it is.
public struct Credentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  enum Content: Sendable {
    case none
    case password(user: String, password: String)
    case bearer(@Sendable (_ refused: String?) async throws -> String)
  }

  let content: Content

  private init(_ content: Content) { self.content = content }

  /// No credentials.
  public static let none = Credentials(.none)

  /// A user name and a password, for Basic and Digest, whichever the server takes.
  ///
  /// - Parameters:
  ///   - user: must not hold a colon, which Basic cannot carry.
  ///   - password: any text.
  public static func password(user: String, password: String) -> Credentials {
    Credentials(.password(user: user, password: password))
  }

  /// A token that never changes.
  public static func bearer(_ token: String) -> Credentials { bearer { _ in token } }

  /// A token that is renewed.
  ///
  /// - Parameter token: returns a token. It is given the one that the server has refused, if any, and asked once for each
  ///   request that was refused.
  public static func bearer(
    _ token: @escaping @Sendable (_ refused: String?) async throws -> String
  ) -> Credentials {
    Credentials(.bearer(token))
  }

  /// Of which kind they are.
  public var description: String {
    switch content {
    case .none: "no credentials"
    case .password: "a user name and a password"
    case .bearer: "a bearer token"
    }
  }

  /// Of which kind they are.
  public var debugDescription: String { description }

  /// Nothing to look into.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
