import ObjectStore
import TICDSSQLite

/// What SQLite, or the system below it, said to whoever opened, read or wrote a store; `nil` for an error of another kind.
package func databaseFailure(behind error: any Error) -> SQLiteError? {
  if let error = error as? StoreFileError { return error.underlying.flatMap(databaseFailure(behind:)) }
  guard let error = error as? StoreError else { return error as? SQLiteError }
  switch error.reason {
  case .database(let failure): return failure
  case .full:
    return SQLiteError(
      extendedCode: SQLiteError.Code.full.rawValue, message: error.description, sql: nil, path: error.path)
  case .externalFile(let words):
    return SQLiteError(
      extendedCode: SQLiteError.Code.cannotOpen.rawValue, message: words, sql: nil, path: error.path)
  default: return nil
  }
}
