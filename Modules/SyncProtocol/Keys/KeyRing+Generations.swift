import Crypto

extension KeyRing {
  /// The greatest generation of a key: keys can be replaced so often and no more.
  static let lastGeneration = Int(UInt8.max)

  /// How many of the older generations no key is at hand of. Who replaces keys has one of the generation before, so each of them exists:
  /// what is missing is late, lost, or kept back.
  var missingGenerations: Int { newest.generation + 1 - Set(all.map(\.generation)).count }

  /// How many keys there are.
  var count: Int { identifiers.count }
}
