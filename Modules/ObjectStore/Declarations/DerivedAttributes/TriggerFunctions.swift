import Foundation
import TICDSSQLite

/// The time of the last save through a connection, which triggers are to put down as the context does.
final class SaveClock {
  var time: Double?
}

/// The functions of SQL that Core Data's triggers call. A store that has such triggers cannot be written without them.
enum TriggerFunctions {
  /// - Parameter clock: What the time is for a trigger.
  static func add(
    to connection: Connection, clock: @escaping () -> Double = { Date().timeIntervalSinceReferenceDate }
  ) throws(SQLiteError) {
    // These tell Core Data which objects a trigger has changed; what they return is used nowhere.
    for name in [
      "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
      "NSCoreDataTriggerUpdateAffectedObjectValue",
    ] {
      try connection.addFunction(name, argumentCount: 5) { _ in .null }
    }
    try connection.addFunction("NSCoreDataNow", argumentCount: 0) { _ in .real(clock()) }
    let functions: [(String, TextFunction)] = [
      ("NSCoreDataCanonical", .canonical), ("NSCoreDataToUpper", .uppercased),
      ("NSCoreDataToLower", .lowercased),
    ]
    for (name, function) in functions {
      try connection.addFunction(name, argumentCount: 1) { arguments in
        arguments.isNull(0) ? .null : function.apply(to: arguments.text(0))
      }
    }
  }
}
