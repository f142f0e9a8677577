/// What others tell of older names, ordered so that those which tell more than one path are found without a look at the others.
struct OlderNames {
  private let paths: [NamePath]

  init(_ told: Set<NamePath>) {
    paths = told.filter { $0.names.count > 1 }.sorted { $0.names.lexicographicallyPrecedes($1.names) }
  }

  /// The paths that begin with all names of another one.
  func beginning(with path: NamePath) -> some Sequence<NamePath> {
    var (start, end) = (0, paths.count)
    while start < end {
      let middle = (start + end) / 2
      if paths[middle].names.lexicographicallyPrecedes(path.names) {
        start = middle + 1
      } else {
        end = middle
      }
    }
    return paths[start...].lazy.prefix { $0.names.starts(with: path.names) }
  }
}
