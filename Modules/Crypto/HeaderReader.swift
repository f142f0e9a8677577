import UntrustedBytes

/// Reads the headers of sealed containers and key files.
typealias HeaderReader = ByteReader<ArraySlice<UInt8>, CryptoError>

extension HeaderReader {
  init(_ bytes: ArraySlice<UInt8>) {
    self.init(bytes) { CryptoError(.truncated, "expected \($1)", offset: $0) }
  }
}

extension Collection<UInt8> {
  /// Whether these are the first bytes of a format, or as many of them as there are.
  func isCutShort(of magic: [UInt8]) -> Bool { !isEmpty && count < magic.count && magic.starts(with: self) }
}
