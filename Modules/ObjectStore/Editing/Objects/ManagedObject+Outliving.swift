extension ManagedObject {
  /// Notices in debug builds that an object is used after its context: its values cannot be read any more, and nobody would save
  /// what is set.
  ///
  /// Nothing happens for an object that was deleted, which keeps its last values.
  @usableFromInline final func noteOutliving(_ use: StaticString) {
    assert(
      contextReference != nil || !state.isDisjoint(with: [.gone, .tracing]),
      """
      \(entity.name) \(key) \(use) after its context was gone or was reset. Hold on to the context for as long as its objects \
      are used, or keep their objectID and ask another context for them.
      """)
  }
}
