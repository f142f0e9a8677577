import SyncProtocol

/// Looks into folders that are none of ours, for files of ours: somebody has moved them, or has given the folder another name.
///
/// Whoever can write there makes any number of folders, so few are listed, and of each few names tell enough.
struct FolderLook {
  /// What was seen in a folder.
  struct Seen {
    /// Names of files of ours.
    var names: Set<RemoteName> = []
    /// Whether a whole application lies in it, and not a part of one.
    var hasApplication = false
  }

  let backend: any SyncBackend
  private static let (folderLimit, listingLimit, depth) = (64, 16, 6)
  /// Names that are noted, and those among them that tell what is the latest: they may come after many others.
  private static let (nameLimit, tellingLimit) = (64, 1_024)

  /// Those of the foreign entries of a tree that hold files of ours, by their places.
  func look(_ tree: RemoteNode) async -> [String: Seen] {
    var found: [String: Seen] = [:]
    for place in Self.places(in: tree).prefix(Self.folderLimit) where !Task.isCancelled {
      // Nobody follows links.
      if case .some(.some) = try? await backend.links?.targetOfLink(at: place) { continue }
      let seen = await look(into: place)
      if !seen.names.isEmpty { found[place.description] = seen }
    }
    return found
  }

  private func look(into folder: RemotePath) async -> Seen {
    var seen = Seen()
    var folders = [folder]
    var listed = 0
    while listed < folders.count, listed < Self.listingLimit, !Task.isCancelled {
      let place = folders[listed]
      listed += 1
      guard let listing = try? await backend.list(place) else { continue }
      for entry in listing.entries {
        if entry.kind == .folder {
          if place.names.count - folder.names.count < Self.depth, folders.count < Self.listingLimit {
            folders.append(place.appending(entry.name))
          }
        } else if OurNames.isOne(entry.name) {
          let isFounding = FoundingName(entry.name) != nil
          let limit = isFounding || HeadName(entry.name) != nil ? Self.tellingLimit : Self.nameLimit
          if seen.names.count < limit { seen.names.insert(entry.name) }
          if isFounding, place.name?.description == "Founding" { seen.hasApplication = true }
        }
      }
    }
    return seen
  }

  /// The foreign entries that are folders, or may be: of those whose names no request of ours would say, listings do not tell. Names of
  /// ours in other case come first.
  private static func places(in tree: RemoteNode) -> [RemotePath] {
    var (first, others): ([RemotePath], [RemotePath]) = ([], [])
    for folder in tree.allButSets {
      guard let path = folder.path else { continue }
      for child in folder.children where child.role == .foreign {
        if let place = child.path {
          guard child.isFolder else { continue }
          let isInOtherCase = OurNames.inRightCase(child.name, .folder, in: path) != nil
          if isInOtherCase { first.append(place) } else { others.append(place) }
        } else if OurNames.original(child.name, in: path) == nil,
          let name = RemoteName(child.name, .classic)
        {
          others.append(path.appending(name))
        }
      }
    }
    return first + others
  }
}

extension RemoteNode {
  /// The names of the files of ours that lie where they belong.
  var ourNames: Set<RemoteName> {
    Set(
      all.compactMap { node in
        guard !node.isFolder, node.role != .foreign, let name = node.path?.name else { return nil }
        return name
      })
  }
}
