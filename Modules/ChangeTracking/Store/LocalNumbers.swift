/// An entity as a local store knows it: its position in ``SyncSchema/entities``.
@frozen public struct LocalEntity: IdentifyingNumber {
  /// The position.
  public let rawValue: Int

  /// Wraps a position.
  @inlinable public init(rawValue: Int) { self.rawValue = rawValue }
}

/// A property as a local store knows it: its position in ``SyncSchema/Entity/properties``.
@frozen public struct LocalProperty: IdentifyingNumber {
  /// The position.
  public let rawValue: Int

  /// Wraps a position.
  @inlinable public init(rawValue: Int) { self.rawValue = rawValue }
}

/// The number of a row, which is unique below its entity's root.
@frozen public struct RowNumber: IdentifyingNumber {
  /// The number.
  public let rawValue: Int64

  /// Wraps a number.
  @inlinable public init(rawValue: Int64) { self.rawValue = rawValue }

  /// Less than the number of any row.
  public static let none = RowNumber(rawValue: 0)
  /// Greater than the number of any row.
  public static let last = RowNumber(rawValue: .max)
}

/// A row with its entity.
public struct RowReference: Hashable, Sendable {
  /// The entity.
  public var entity: LocalEntity
  /// The row's number.
  public var row: RowNumber

  /// Addresses a row.
  public init(entity: LocalEntity, row: RowNumber) {
    self.entity = entity
    self.row = row
  }
}
