/// All names that are part of paths which stand for something of the local model.
///
/// A path that has none of them in it can stand for nothing that the local model shows, so that names which somebody invents cost no
/// comparison with all that are known. More names than there are do no harm.
struct RelatedNames {
  private var names: [KnownPaths.Space: Set<String>] = [:]

  /// Whether a path shares a name with something of the local model.
  mutating func mayRelate(
    _ path: NamePath, in space: KnownPaths.Space, _ known: [NamePath: Int],
    _ local: () -> [(path: NamePath, number: Int)]
  ) -> Bool {
    let related: Set<String>
    if let noted = names[space] {
      related = noted
    } else {
      let local = local()
      let isLocal = Set(local.map(\.number))
      var found = Set(local.flatMap(\.path.names))
      for (path, number) in known where isLocal.contains(number) { found.formUnion(path.names) }
      names[space] = found
      related = found
    }
    return path.names.contains(where: related.contains)
  }

  /// Notes a path that may stand for something of the local model from now on.
  mutating func add(_ path: NamePath, in space: KnownPaths.Space) {
    names[space]?.formUnion(path.names)
  }
}
