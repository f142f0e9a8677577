/// The server that credentials are for: that of the address which a person gave, for the life of a client.
///
/// Other servers may answer for it, as after a redirection that is for good; that makes none of them the one which is trusted.
struct Home: Equatable, Sendable {
  private let given: HTTPAddress
  /// Where the same host has asked for TLS.
  private var encrypted: HTTPAddress?

  init(_ given: HTTPAddress) { self.given = given }

  /// Whether an address is at this server: the same scheme, host and port, or the first place at which the host speaks TLS.
  func admits(_ address: HTTPAddress) -> Bool {
    address.hasSameOrigin(as: given) || encrypted.map(address.hasSameOrigin) ?? isUpgrade(address)
  }

  /// Remembers where the host speaks TLS.
  mutating func note(_ address: HTTPAddress) {
    if encrypted == nil, isUpgrade(address) { encrypted = address }
  }

  private func isUpgrade(_ address: HTTPAddress) -> Bool {
    given.scheme == .http && address.scheme == .https && address.host == given.host
  }
}
