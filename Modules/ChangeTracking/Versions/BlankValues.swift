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
  /// Where a migration writes something else into rows that are older than the attribute: an optional attribute with a default.
  private var filled: Set<Attribute> = []
  /// `nil` if they are not certain: rows may show what a version between two was to show, or entities have got other numbers of properties.
  private let noted: [Attribute: [UInt8]]?

  /// Those of the local model, and those that were noted before; none if no version of the model has been learnt.
  init(of names: NameTable, _ schema: SyncSchema, noted state: StateTable) throws {
    let stored = try state.value(.blanks)
    switch stored {
    case .blob(let bytes)? where try state.integer(.unlearnedSteps) < 2: noted = try? Self.values(in: bytes)
    case nil where try state.integer(.unlearnedSteps) == 0: noted = [:]
    default: noted = nil
    }
    let isFirst = stored == nil
    for local in schema.localEntities {
      let entity = names[local]
      for property in entity.localProperties where property.isAttribute && !property.isFolded {
        if let position = property.local, schema[local][position].isDerived { continue }
        let attribute = Attribute(entity: entity.number, bit: property.bit)
        values[attribute] = Register.Content.value(property.blank).parkedBytes
        if !isFirst, property.initialValue != property.blank { filled.insert(attribute) }
      }
    }
  }

  /// Notes that a version of the model has come that rows have still to follow.
  ///
  /// - Parameters:
  ///   - steps: of its migration.
  ///   - areNumbersKept: whether all properties have the numbers that they had.
  static func noteVersion(steps: Int, areNumbersKept: Bool, in state: StateTable) throws {
    let known = try state.integer(.unlearnedSteps)
    try state.setInteger(.unlearnedSteps, known &+ UInt64(max(1, steps)) &+ (areNumbersKept ? 0 : 1))
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
    try state.remove(.unlearnedSteps)
  }

  /// The attributes of an entity of which rows may show something else.
  func changed(in entity: KnownEntity) -> [PropertyBit] {
    entity.localProperties.map(\.bit).filter { bit in
      let attribute = Attribute(entity: entity.number, bit: bit)
      guard let value = values[attribute] else { return false }
      guard let noted else { return true }
      return noted[attribute].map { $0 != value } ?? filled.contains(attribute)
    }
  }
}
