/// A format of change sets: how a set becomes the bytes of a file, and back.
///
/// Laws: decoding what was encoded gives the same set, but for the order of its changes. Any bytes are answered with a set or
/// an error, in memory that is bounded by the limit. No two formats recognise the same bytes.
public protocol ChangeSetCodec: Sendable {
  /// What the format is called.
  static var name: String { get }

  /// Whether the bytes begin like a set in this format.
  static func recognises(_ bytes: [UInt8]) -> Bool

  /// Encodes a set.
  /// - Throws: if the format cannot hold something that the set says.
  static func encode(_ set: ChangeSet) throws -> [UInt8]

  /// Whether a set in this format can describe values that travel out of line: ``LongValue``.
  static var hasLongValues: Bool { get }

  /// Decodes a set.
  ///
  /// - Parameters:
  ///   - bytes: the whole file, opened if it was sealed.
  ///   - limit: the greatest size in bytes, after decompression, that is accepted.
  /// - Throws: ``CodecError``.
  static func decode(_ bytes: [UInt8], limit: Int) throws(CodecError) -> ChangeSet
}

extension ChangeSetCodec {
  /// `false`: every value is in the set.
  public static var hasLongValues: Bool { false }
}

/// The formats that a reader knows, told apart by the first bytes of a file.
public struct ChangeSetFormats: Sendable {
  /// The formats, in the order in which they are asked.
  public var codecs: [any ChangeSetCodec.Type]

  /// Knows these formats.
  public init(_ codecs: [any ChangeSetCodec.Type]) { self.codecs = codecs }

  /// All formats of this library.
  public static let standard = ChangeSetFormats([CompactCodec.self])

  /// The greatest size of a decompressed set that is accepted unless another is given.
  public static let sizeLimit = SetLimits.bodySize

  /// The format that recognises the first bytes of a file; `nil` if none does.
  public func codec(of bytes: [UInt8]) -> (any ChangeSetCodec.Type)? {
    codecs.first { $0.recognises(bytes) }
  }

  /// Decodes a set in whichever format it is.
  ///
  /// - Parameters:
  ///   - bytes: the whole file, opened if it was sealed.
  ///   - limit: the greatest size in bytes, after decompression, that is accepted.
  /// - Throws: ``CodecError``, with `foreign` if no format recognises the bytes.
  public func decode(_ bytes: [UInt8], limit: Int = sizeLimit) throws(CodecError) -> ChangeSet {
    guard let codec = codec(of: bytes) else {
      let names = codecs.map { $0.name }.joined(separator: " or ")
      throw CodecError(code: .foreign, offset: 0, expected: "a change set in the format \(names)")
    }
    return try codec.decode(bytes, limit: limit)
  }
}
