/// How links are written, whether they have a table or stand in the rows of the target.
extension JoinTable {
  /// Adds a link, unless it is there. The parameters are the keys of source and target, and the target's place in an ordered relationship,
  /// `NULL` if that is to stay as it is.
  var insertion: String {
    let (table, source, target) = (quote(name), quote(sourceColumn), quote(targetColumn))
    let order = targetOrder.map { quote($0) }
    if isInTarget {
      // Whoever gets a new owner has no place among its members yet.
      let place = order.map { ", \($0) = ifnull(?3, CASE WHEN \(source) = ?1 THEN \($0) END)" } ?? ""
      return "UPDATE \(table) SET \(source) = ?1\(place) WHERE \(target) = ?2"
    }
    guard let order else { return "INSERT OR IGNORE INTO \(table) (\(source), \(target)) VALUES (?1, ?2)" }
    return """
      INSERT INTO \(table) (\(source), \(target), \(order)) VALUES (?1, ?2, ?3) \
      ON CONFLICT DO UPDATE SET \(order) = ifnull(excluded.\(order), \(order))
      """
  }

  /// Removes a link. The parameters are the keys of source and target.
  var deletion: String {
    removal(where: "\(quote(sourceColumn)) = ?1 AND \(quote(targetColumn)) = ?2")
  }

  /// Removes all links for which a condition over the columns of the table holds.
  func removal(where condition: String) -> String {
    guard isInTarget else { return "DELETE FROM \(quote(name)) WHERE \(condition)" }
    let columns = [sourceColumn, targetOrder].compactMap(\.self).map { "\(quote($0)) = NULL" }
    return "UPDATE \(quote(name)) SET \(columns.joined(separator: ", ")) WHERE \(condition)"
  }
}
