import CTICDSOpenSSL

/// Comparisons that do not tell, by the time they take, where two values differ.
public enum ConstantTime {
  /// Whether two byte strings are equal. The time depends on the lengths only.
  public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { right in areEqual(left, right) } }
  }

  /// Whether two byte strings are equal. The time depends on the lengths only.
  public static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let leftAddress = left.baseAddress, let rightAddress = right.baseAddress else { return true }
    return CRYPTO_memcmp(leftAddress, rightAddress, left.count) == 0
  }
}
