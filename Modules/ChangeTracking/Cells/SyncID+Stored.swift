import TICDSSQLite

extension SyncID {
  /// 16 bytes for a UUID, else text.
  var stored: SQLiteValue {
    switch self {
    case .text(let text): .text(text)
    case .uuid(let high, let low):
      .blob(
        [UInt8](unsafeUninitializedCapacity: 16) { bytes, count in
          for index in 0..<8 {
            bytes[index] = UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
            bytes[8 + index] = UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * index))
          }
          count = 16
        })
    }
  }

  init(stored value: SQLiteValue) {
    switch value {
    case .blob(let bytes) where bytes.count == 16:
      self = .uuid(
        bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
    case .text(let text): self = .text(text)
    default: self = .text("")
    }
  }
}

extension Statement {
  /// Binds an identifier as it is stored. Nothing is allocated for a UUID: objects are looked up for every change that is merged.
  func bind(_ syncID: SyncID, at parameter: Int) throws {
    switch syncID {
    case .text(let text): try bind(text, at: parameter)
    case .uuid(let high, let low):
      var halves = (high.bigEndian, low.bigEndian)
      try withUnsafeBytes(of: &halves) { bytes in try bind(bytes, at: parameter) }
    }
  }
}
