/// Marks whose unfinished files are whose, on storage where a writer that was killed leaves some behind: who comes back for his own
/// must not take those of a device that is writing.
public struct WriterMark: RawRepresentable, Hashable, Sendable, Codable {
  /// The mark.
  public let rawValue: UInt64

  /// Takes a mark that was written down.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// A mark that nobody else has.
  public static func random() -> WriterMark { WriterMark(rawValue: .random(in: .min ... .max)) }

  /// Sixteen hexadecimal digits.
  public var digits: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
