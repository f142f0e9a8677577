/// Runs `body` on all elements, at most `limit` at a time, and gives the results in the order of the elements.
///
/// The first failure cancels the rest and is thrown.
package func concurrently<Element: Sendable, Result: Sendable>(
  _ elements: [Element], limit: Int, _ body: @escaping @Sendable (Element) async throws -> Result
) async throws -> [Result] {
  try await withThrowingTaskGroup(of: (Int, Result).self) { group in
    var results = [Result?](repeating: nil, count: elements.count)
    for (index, element) in elements.enumerated() {
      if index >= limit, let (done, result) = try await group.next() { results[done] = result }
      group.addTask { (index, try await body(element)) }
    }
    while let (done, result) = try await group.next() { results[done] = result }
    return results.compactMap { $0 }
  }
}
