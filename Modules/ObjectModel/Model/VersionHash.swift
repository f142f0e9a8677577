import Foundation
import TICDSOpenSSL

/// Core Data's version hashes: SHA-256 over everything that decides how objects of an entity are stored.
///
/// A store records the hash of each of its entities; it fits a model whose hashes are the same. The rules were established
/// from published models and stores, see `Docs/ObjectStore.md`.
package enum VersionHash {
  /// The hash of an entity with all of its properties, inherited ones included.
  package static func entity(
    _ declaration: EntityDeclaration, properties: [PropertyDescription], parentHash: [UInt8]?
  ) -> [UInt8] {
    var bytes = [UInt8](declaration.name.utf8)
    bytes.append(declaration.isAbstract ? 1 : 0)
    if let parentHash { bytes += parentHash }
    let stored = properties.filter { !$0.isTransient }
    for property in stored.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
      bytes += self.property(property)
    }
    if let modifier = declaration.versionHashModifier { bytes += Array(modifier.utf8) }
    let constraints = declaration.uniquenessConstraints.map { $0.joined(separator: ".") }
    for constraint in constraints.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      bytes += Array(constraint.utf8)
    }
    return sha256(bytes)
  }

  private static func property(_ property: PropertyDescription) -> [UInt8] {
    // Nothing else of a derived attribute enters, not even its name.
    if let text = property.asAttribute?.derivation {
      return sha256(Array((Derivation(text)?.predicateFormat ?? text).utf8))
    }
    var base = [UInt8](property.name.utf8)
    base += littleEndian(UInt16((property.isOptional ? 1 : 0) | (property.isTransient ? 2 : 0)))
    if let modifier = property.versionHashModifier { base += Array(modifier.utf8) }
    var bytes = sha256(base)
    switch property {
    case .attribute(let attribute):
      bytes += littleEndian(UInt32(bitPattern: attribute.type.rawValue))
      if attribute.allowsExternalStorage { bytes.append(1) }
      if attribute.preservesValueOnDeletion { bytes.append(1) }
    case .relationship(let relationship):
      bytes += Array(relationship.destination.utf8)
      // A relationship that is its own inverse is hashed as if it had none.
      if let inverse = relationship.inverse, !relationship.isOwnInverse { bytes += Array(inverse.utf8) }
      bytes += littleEndian(UInt32(truncatingIfNeeded: relationship.maximumCount))
      bytes += littleEndian(UInt32(truncatingIfNeeded: relationship.minimumCount))
      if relationship.isOrdered { bytes += [1, 0] }
    }
    return sha256(bytes)
  }

  /// Base64 of SHA-512 over names and hashes of all entities: the metadata's `NSStoreModelVersionHashesDigest`.
  package static func digest(of model: ManagedObjectModel) -> String {
    var bytes: [UInt8] = []
    for entity in byName(model) { bytes += Array(entity.name.utf8) + entity.versionHash }
    return Data(SHA512.hash(bytes)).base64EncodedString()
  }

  /// Base64 of SHA-256 over the hashes of all entities: the metadata's `NSStoreModelVersionChecksumKey`.
  package static func checksum(of model: ManagedObjectModel) -> String {
    Data(sha256(byName(model).flatMap(\.versionHash))).base64EncodedString()
  }

  private static func byName(_ model: ManagedObjectModel) -> [EntityDescription] {
    model.entities.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private static func sha256(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(bytes).bytes }

  private static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}
