/// A name with the namespace that its prefix stands for.
struct XMLName: Hashable, Sendable {
  var namespace: String
  var local: String
}

/// What an ``XMLReader`` finds.
enum XMLEvent: Equatable, Sendable {
  case start(XMLName)
  case end(XMLName)
  /// A piece of text, its references resolved. One text may come in several pieces, divided anywhere, also within a
  /// character: they are UTF-8 only when put together.
  case text(ArraySlice<UInt8>)
}

/// Why a document is refused, and where.
struct XMLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Bytes from the beginning of the document.
  var offset: Int
  var reason: String
  /// Whether the document is larger than what is read of one, whatever it says.
  var isTooLarge = false

  var description: String { "at byte \(offset): \(reason)" }
}

/// How much of a document is read.
struct XMLLimits: Sendable {
  /// Bytes of the whole document.
  var document = 128 << 20
  /// Bytes of one tag, comment or instruction.
  var markup = 16 << 10
  /// Elements within each other.
  var depth = 32
  /// Namespaces that are declared at one place.
  var declarations = 64
}
