/// How much a decoder accepts before it gives up, because what it reads may come from somebody hostile.
public struct DecodingLimits: Hashable, Sendable {
  /// Largest number of bytes of one file or archive.
  public var bytes: Int
  /// Largest number of objects in one object table.
  public var objects: Int
  /// Largest nesting of containers. Decoders recurse, so this bounds the stack.
  public var depth: Int
  /// Largest size of the decoded tree when what is shared in the file is counted each time it occurs: values
  /// plus one for every 16 bytes of strings and data. A few nested shared containers would otherwise unfold
  /// to more than any memory.
  public var unfoldedSize: Int

  /// Limits that every honest file stays far below.
  public init(
    bytes: Int = 1 << 30, objects: Int = 8_000_000, depth: Int = 200, unfoldedSize: Int = 16_000_000
  ) {
    self.bytes = bytes
    self.objects = objects
    self.depth = depth
    self.unfoldedSize = unfoldedSize
  }

  /// The default limits.
  public static let standard = DecodingLimits()
}
