import CTICDSSQLite

extension Connection {
  /// Adds a function to SQL, for this connection.
  ///
  /// - Parameters:
  ///   - name: What SQL calls it.
  ///   - argumentCount: How many arguments it takes.
  ///   - body: Computes the result from the arguments alone: SQLite may call it once for equal arguments.
  public func addFunction(
    _ name: String, argumentCount: Int, _ body: @escaping (borrowing FunctionArguments) -> SQLiteValue
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(FunctionBody(body))
    let code = sqlite3_create_function_v2(
      handle, name, Int32(argumentCount), SQLITE_UTF8 | SQLITE_DETERMINISTIC, box.toOpaque(),
      { context, count, values in
        guard let context, let data = sqlite3_user_data(context) else { return }
        let function = Unmanaged<FunctionBody>.fromOpaque(data).takeUnretainedValue()
        function.body(FunctionArguments(count: Int(count), values: values)).setResult(of: context)
      }, nil, nil,
      { data in
        if let data { Unmanaged<FunctionBody>.fromOpaque(data).release() }
      })
    // SQLite has released the box already if it refuses.
    if code != SQLITE_OK { throw lastError(sql: nil) }
  }
}

private final class FunctionBody {
  let body: (borrowing FunctionArguments) -> SQLiteValue

  init(_ body: @escaping (borrowing FunctionArguments) -> SQLiteValue) {
    self.body = body
  }
}

/// The arguments of a function that SQL calls; valid only during the call.
public struct FunctionArguments: ~Copyable {
  /// Number of arguments.
  public let count: Int
  private let values: UnsafeMutablePointer<OpaquePointer?>?

  init(count: Int, values: UnsafeMutablePointer<OpaquePointer?>?) {
    self.count = count
    self.values = values
  }

  private func value(_ index: Int) -> OpaquePointer? {
    index >= 0 && index < count ? values?[index] : nil
  }

  /// Whether an argument is NULL, or not there.
  public func isNull(_ index: Int) -> Bool {
    value(index).map { sqlite3_value_type($0) == SQLITE_NULL } ?? true
  }

  /// An argument as an integer; 0 for NULL.
  public func int64(_ index: Int) -> Int64 { value(index).map { sqlite3_value_int64($0) } ?? 0 }

  /// An argument as text; empty for NULL.
  public func text(_ index: Int) -> String {
    guard let value = value(index), let bytes = sqlite3_value_text(value) else { return "" }
    let count = Int(sqlite3_value_bytes(value))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// An argument as bytes; empty for NULL.
  public func blob(_ index: Int) -> [UInt8] {
    guard let value = value(index), let bytes = sqlite3_value_blob(value) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))))
  }
}

extension SQLiteValue {
  fileprivate func setResult(of context: OpaquePointer) {
    switch self {
    case .null: sqlite3_result_null(context)
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value): sqlite3_result_double(context, value)
    case .text(var value):
      value.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          ticds_result_text(context, $0.baseAddress, UInt64($0.count))
        }
      }
    case .blob(let value):
      value.withUnsafeBytes { ticds_result_blob(context, $0.baseAddress, UInt64($0.count)) }
    }
  }
}
