import Crypto

/// Under what a description of a document lies. Where foundings with different keys have met, none of their members can read the others'
/// description, so each would put its own back for ever; of two, the lesser one stays.
enum DescriptionSeal: Comparable, Sendable {
  /// Sealed with a key, by its digits: the smaller stays, as of two devices that found at once.
  case sealed(String)
  /// In the clear. Gives way to any that is sealed: nobody reads it who has a key.
  case clear

  /// `nil` if the bytes were cut off so early that they do not tell.
  init?(_ bytes: [UInt8]) {
    guard SealedContainer.isSealed(bytes) else {
      self = .clear
      return
    }
    guard let key = try? SealedContainer.keyIdentifier(of: bytes) else { return nil }
    self = .sealed(key.description)
  }
}
