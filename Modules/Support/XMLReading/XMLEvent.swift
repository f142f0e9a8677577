/// A name with the namespace that its prefix stands for.
package struct XMLName: Hashable, Sendable {
  package var namespace: String
  package var local: String

  package init(namespace: String, local: String) {
    self.namespace = namespace
    self.local = local
  }
}

/// An element that begins.
package struct XMLStart: Equatable, Sendable {
  package var name: XMLName
  /// By their names as they are written, with their prefixes. Declarations of namespaces are not among them.
  package var attributes: [String: String]
  /// Bytes from the beginning of the document to the element.
  package var offset: Int
}

/// What an ``XMLReader`` finds.
package enum XMLEvent: Equatable, Sendable {
  case start(XMLStart)
  case end(XMLName)
  /// A piece of text, its references resolved. One text may come in several pieces, divided anywhere, also within a
  /// character: they are UTF-8 only when put together.
  case text(ArraySlice<UInt8>)
}

/// Why a document is refused, and where.
package struct XMLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Bytes from the beginning of the document.
  package var offset: Int
  package var reason: String
  /// Whether the document is larger than what is read of one, whatever it says.
  package var isTooLarge: Bool

  package init(offset: Int, reason: String, isTooLarge: Bool = false) {
    self.offset = offset
    self.reason = reason
    self.isTooLarge = isTooLarge
  }

  package var description: String { "at byte \(offset): \(reason)" }
}

/// How much of a document is read.
package struct XMLLimits: Sendable {
  /// Bytes of the whole document.
  package var document = 128 << 20
  /// Bytes of one tag, comment or instruction.
  package var markup = 16 << 10
  /// Elements within each other.
  package var depth = 32
  /// Namespaces that are declared at one place.
  package var declarations = 64

  package init() {}
}

/// What is done about a document type. None is ever followed: nothing is fetched, and no entity is defined.
package enum XMLDocumentType: Sendable {
  /// A document that has one is refused.
  case refused
  /// One that only names an external file is passed over; with declarations of its own it is refused.
  case passedOver
}
