import SyncProtocol

extension LawContext {
  /// Asks again and again whether something has become true, for services go on after a request was cancelled.
  ///
  /// What storage refuses meanwhile is asked again: a service that is still removing a folder may be unable to list it.
  func patiently(
    _ condition: () async throws -> Bool, otherwise: () -> String
  ) async throws {
    let start = ContinuousClock.now
    while true {
      var refusal: BackendError?
      do { if try await condition() { return } } catch let error as BackendError { refusal = error }
      if ContinuousClock.now - start >= patience {
        if let refusal { throw refusal }
        try expect(false, otherwise())
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
