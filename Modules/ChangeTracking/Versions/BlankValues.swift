import ObjectStore
import TICDSSQLite

extension SyncSchema {
  /// Differs unless two models show the same where the same was written. Defaults are no part of what tells versions of a model apart.
  var shownModel: String {
    var bytes: [UInt8] = []
    for entity in entities {
      for property in entity.properties where !property.blank.isNull {
        for name in [entity.name, property.name] { bytes.appendText(name) }
        bytes += Register.Content.value(property.blank).parkedBytes
      }
    }
    return bytes.isEmpty ? model : "\(model) \(ContentHash(of: bytes))"
  }
}

/// What attributes show where nothing was written, as the local model wants it.
///
/// A version of the model may want it otherwise: its migration leaves in the rows what they showed, and others' rows never showed that.
struct BlankValues {
  private struct Attribute: Hashable {
    var entity: EntityNumber
    var bit: PropertyBit
  }

  private var values: [Attribute: [UInt8]] = [:]

  /// Those of the local model.
  init(of names: NameTable, _ schema: SyncSchema) {
    for local in schema.localEntities {
      let entity = names[local]
      for property in entity.localProperties where property.isAttribute && !property.isFolded {
        values[Attribute(entity: entity.number, bit: property.bit)] =
          Register.Content.value(property.blank).parkedBytes
      }
    }
  }

  /// Those that were noted; none if no version of the model has been learnt, or what was noted cannot be read.
  init(noted state: StateTable) throws {
    guard case .blob(let bytes)? = try state.value(.blanks) else { return }
    values = (try? Self.values(in: bytes)) ?? [:]
  }

  private static func values(in bytes: [UInt8]) throws -> [Attribute: [UInt8]] {
    try bytes.withUnsafeBytes { bytes in
      var reader = SetReader(bytes)
      var values: [Attribute: [UInt8]] = [:]
      while !reader.isAtEnd {
        let entity = EntityNumber(rawValue: Int(clamping: try reader.varint()))
        let bit = PropertyBit(rawValue: Int(clamping: try reader.varint()))
        let length = try reader.count(of: "bytes of a value")
        values[Attribute(entity: entity, bit: bit)] = try reader.array(length)
      }
      return values
    }
  }

  func note(in state: StateTable) throws {
    var bytes: [UInt8] = []
    for (attribute, value) in values.sorted(by: { ($0.key.entity, $0.key.bit) < ($1.key.entity, $1.key.bit) })
    {
      bytes.appendVarint(UInt64(attribute.entity.rawValue))
      bytes.appendVarint(UInt64(attribute.bit.rawValue))
      bytes.appendVarint(UInt64(value.count))
      bytes += value
    }
    try state.set(.blanks, .blob(bytes))
  }

  /// The attributes of an entity that others had otherwise.
  func changed(in entity: KnownEntity, from former: BlankValues) -> [PropertyBit] {
    entity.localProperties.map(\.bit).filter { bit in
      let attribute = Attribute(entity: entity.number, bit: bit)
      guard let value = values[attribute], let before = former.values[attribute] else { return false }
      return value != before
    }
  }
}
