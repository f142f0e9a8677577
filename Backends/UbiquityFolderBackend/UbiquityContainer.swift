import SyncProtocol

/// What a provider like iCloud Drive knows of a folder that it keeps alike on all devices, and of which it may keep content
/// elsewhere: the part that no file system tells.
///
/// Conform one `Sendable` type per provider. ``PlaceholderContainer`` serves those that leave placeholder files behind.
public protocol UbiquityContainer: Sendable {
  /// A name for the account and the container behind the folder, to be compared and nothing else; `nil` if nobody is signed in.
  ///
  /// Asked for before each listing: it must not need the network.
  func identity() async throws(BackendError) -> ContainerIdentity?

  /// A file whose content is elsewhere; `nil` if there is none of that name, or its content is here.
  func placeholder(at path: RemotePath) async throws(BackendError) -> RemoteEntry?

  /// The name of the file that an entry of a folder stands for; `nil` if it stands for none but itself.
  ///
  /// - Parameter name: a name that is none of ours, as the file system has it.
  func nameOfFile(behind name: String) -> String?

  /// Asks for the content of a file. Returns at once; asking again has no effect.
  func requestDownload(of path: RemotePath) async throws(BackendError)

  /// How far the content of a file has come, from 0 to 1, where the provider tells.
  func progress(of path: RemotePath) async -> Double?

  /// Removes a file whose content is elsewhere, on all devices.
  func removePlaceholder(at path: RemotePath) async throws(BackendError)

  /// Does something to a file while the provider leaves it alone (file coordination on Apple's systems).
  func coordinate<Result: Sendable>(
    _ path: RemotePath, _ work: @Sendable () async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result
}

extension UbiquityContainer {
  /// Unknown.
  public func progress(of path: RemotePath) async -> Double? { nil }

  /// Does it, for providers that do not mind.
  public func coordinate<Result: Sendable>(
    _ path: RemotePath, _ work: @Sendable () async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    try await work()
  }
}

/// The account and container behind a ubiquity folder.
public struct ContainerIdentity: Hashable, Sendable, CustomStringConvertible {
  /// Whatever the provider uses, for example the bytes of a ubiquity identity token in hexadecimal digits.
  public let description: String

  /// Wraps a name.
  public init(_ description: String) { self.description = description }
}
