/// All names that are part of paths which stand for something of the local model.
///
/// A path that has none of them in it can stand for nothing that the local model shows, so that names which somebody invents cost no
/// comparison with all that are known. More names than there are do no harm.
struct RelatedNames {
  private var names: [KnownPaths.Space: Set<String>] = [:]

  /// Whether a path shares a name with something of the local model.
  ///
  /// - Parameter paths: all that stand for something of the local model, asked once for each space.
  mutating func mayRelate(
    _ path: NamePath, in space: KnownPaths.Space, _ paths: () throws -> [NamePath]
  ) rethrows -> Bool {
    let related = try names[space] ?? Set(paths().flatMap(\.names))
    names[space] = related
    return path.names.contains(where: related.contains)
  }

  /// Notes a path that may stand for something of the local model from now on.
  mutating func add(_ path: NamePath, in space: KnownPaths.Space) {
    names[space]?.formUnion(path.names)
  }
}
