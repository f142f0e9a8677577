/// An entity by its number in the bookkeeping.
struct EntityNumber: IdentifyingNumber {
  let rawValue: Int

  /// Of an object that is only known as a target.
  static let unknown = EntityNumber(rawValue: 0)

  var isKnown: Bool { self != .unknown }
}

/// A property by its number among all properties of the entities below one root: its position in the masks of the change log.
struct PropertyBit: IdentifyingNumber {
  let rawValue: Int

  /// Which word of a mask the bit is in.
  var word: Int { rawValue / 64 }
  /// The bit alone, in its word.
  var mask: UInt64 { 1 << (UInt64(truncatingIfNeeded: rawValue) % 64) }
  /// Whether the mask of an object's insertion has this bit: that mask is one word.
  var isInFirstWord: Bool { rawValue < 64 }

  /// The bits that are set in the first word of a mask, ascending.
  static func all(in mask: UInt64) -> [PropertyBit] {
    var bits: [PropertyBit] = []
    var mask = mask
    while mask != 0 {
      bits.append(PropertyBit(rawValue: mask.trailingZeroBitCount))
      mask &= mask &- 1
    }
    return bits
  }
}

/// A record of an object by its number in the bookkeeping.
struct RecordID: IdentifyingNumber {
  let rawValue: Int64

  /// No store comes to give so many numbers.
  static let limit: Int64 = 1 << 62

  /// Less than the number of any record.
  static let none = RecordID(rawValue: 0)
}

/// An author by its number in the bookkeeping.
struct AuthorNumber: IdentifyingNumber {
  let rawValue: Int

  /// Nobody: the author of ``Stamp/zero``.
  static let nobody = AuthorNumber(rawValue: 0)
}

/// A register: an attribute or to-one relationship of one object.
struct RegisterID: Hashable, Comparable {
  var object: RecordID
  var bit: PropertyBit

  static func < (left: RegisterID, right: RegisterID) -> Bool {
    (left.object, left.bit) < (right.object, right.bit)
  }
}
