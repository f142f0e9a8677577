import Crypto
import TICDSOpenSSL

/// Reads and writes wrapped keys, by which devices that hold one key of a remote get the others.
package struct KeyExchange: Sendable {
  /// Keys that a ring takes up at most: those of all generations there can be, and of foundings that met. Each is genuine, for only who has
  /// one of the ring can wrap another with it.
  static let ringLimit = 512
  /// Greatest size of a wrapped key's file in bytes.
  package static let sizeLimit = 4_096
  /// Files that are read at most and add nothing: anybody can name files after keys in use.
  static let failureLimit = 256
  /// Files that lie there and are compared at most in one publication. Of more, chance decides.
  static let checkLimit = 16

  let backend: any SyncBackend
  let hierarchy: ApplicationHierarchy
  private let secrets: any RandomSource

  /// - Parameters:
  ///   - backend: where the keys lie.
  ///   - hierarchy: the application's part.
  ///   - secrets: where salts come from.
  package init(
    backend: any SyncBackend, hierarchy: ApplicationHierarchy, secrets: any RandomSource = .system
  ) {
    self.backend = backend
    self.hierarchy = hierarchy
    self.secrets = secrets
  }

  /// A ring with the keys that can be had with those in it.
  package func adding(_ names: Set<WrappedKeyName>, to ring: KeyRing) async throws -> KeyRing {
    Self.adding(try await fetch(names, for: ring), to: ring, hierarchy)
  }

  /// A wrapped key as it lies there.
  struct Wrapped: Hashable, Sendable {
    var name: WrappedKeyName
    var bytes: [UInt8]
  }

  /// Opens wrapped keys with a ring; those that do not open are passed over.
  static func adding(_ wrapped: [Wrapped], to ring: KeyRing, _ hierarchy: ApplicationHierarchy) -> KeyRing {
    var ring = ring
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for file in wrapped where ring[file.name.key] == nil {
        guard let wrapping = ring[file.name.wrapping], let key = open(file, ring, hierarchy),
          mayLie(key, under: wrapping)
        else { continue }
        ring = KeyRing(ring.primary, others: ring.all + [key])
        isGrowing = true
      }
    }
    return ring
  }

  /// Whether a key may be read by whoever has another: not if it has replaced that one. Nor is such a file believed, which only somebody who
  /// was left out would write.
  private static func mayLie(_ key: MasterKey, under wrapping: MasterKey) -> Bool {
    key.generation <= wrapping.generation
  }

  /// The wrapped keys that are to lie there for a ring: two for each key of a generation, and two for each that was replaced, so that their number
  /// grows with that of the keys, and the loss of any one file keeps nobody from more than one key.
  ///
  /// A key lies under those next to it in the circle of its generation, for foundings that met; and under one key of each of the next two
  /// generations, so that who has the newest gets the others one after the other.
  package static func names(_ ring: KeyRing) -> Set<WrappedKeyName> {
    let generations = Dictionary(grouping: ring.all, by: \.generation).sorted { $0.key < $1.key }
      .map { $0.value.map(\.identifier).sorted { $0.description < $1.description } }
    var names: Set<WrappedKeyName> = []
    for (index, keys) in generations.enumerated() {
      for (place, key) in keys.enumerated() where keys.count > 1 {
        for step in [1, keys.count - 1] {
          names.insert(WrappedKeyName(key, wrapping: keys[(place + step) % keys.count]))
        }
      }
      for newer in generations.dropFirst(index + 1).prefix(2).compactMap(\.first) {
        for key in keys { names.insert(WrappedKeyName(key, wrapping: newer)) }
      }
    }
    return names
  }

  /// Whether the bytes of a file are the wrapped key that its name says.
  package static func holds(
    _ name: WrappedKeyName, _ bytes: [UInt8], _ ring: KeyRing, _ hierarchy: ApplicationHierarchy
  ) -> Bool { open(Wrapped(name: name, bytes: bytes), ring, hierarchy) != nil }

  private static func open(_ file: Wrapped, _ ring: KeyRing, _ hierarchy: ApplicationHierarchy) -> MasterKey?
  {
    let context = SealedContext(role: .wrappedKey, identity: hierarchy.identity(of: file.name))
    guard let wrapping = ring[file.name.wrapping],
      var bytes = try? SealedContainer.open(file.bytes, as: context, with: KeyRing(wrapping))
    else { return nil }
    defer { SecretBytes.erase(&bytes) }
    guard let key = try? MasterKey(SecretBytes(copying: bytes)), key.identifier == file.name.key else {
      return nil
    }
    return key
  }

  /// A key of a ring under another one; `nil` if one of them is not in it.
  func wrap(_ name: WrappedKeyName, _ ring: KeyRing) throws(CryptoError) -> Wrapped? {
    guard let key = ring[name.key], let wrapping = ring[name.wrapping] else { return nil }
    let context = SealedContext(role: .wrappedKey, identity: hierarchy.identity(of: name))
    var bytes = key.withUnsafeBytes { Array($0) }
    defer { SecretBytes.erase(&bytes) }
    return Wrapped(
      name: name, bytes: try SealedContainer.seal(bytes, as: context, with: wrapping, random: secrets))
  }

  private func isGenuine(_ name: WrappedKeyName, _ ring: KeyRing) async throws(BackendError) -> Bool {
    do throws(BackendError) {
      let bytes = try await backend.download(hierarchy.encryption / name.name, limit: Self.sizeLimit)
      return Self.open(Wrapped(name: name, bytes: bytes), ring, hierarchy) != nil
    } catch {
      guard error.isAboutOneFile else { throw error }
      return false
    }
  }

  /// Fetches the wrapped keys that add to a ring: one request for each key, and a bounded number for what only bears such a name. Of several
  /// names chance decides, so that whoever puts others beside the right one does not choose which is read.
  func fetch(_ names: Set<WrappedKeyName>, for ring: KeyRing) async throws -> [Wrapped] {
    var generator = SecretGenerator(secrets: secrets)
    let inside = Dictionary(grouping: names.sorted(), by: \.wrapping)
    var waiting: [WrappedKeyName] = []
    for key in ring.all { waiting += (inside[key.identifier] ?? []).shuffled(using: &generator) }
    var found: [Wrapped] = []
    var grown = ring
    var failures = 0
    while let next = waiting.popLast(), grown.count < Self.ringLimit, failures < Self.failureLimit {
      guard grown[next.key] == nil else { continue }
      try Task.checkCancellation()
      do throws(BackendError) {
        let path = hierarchy.encryption / next.name
        let file = Wrapped(name: next, bytes: try await backend.download(path, limit: Self.sizeLimit))
        let before = grown.count
        grown = Self.adding([file], to: grown, hierarchy)
        guard grown.count > before else {
          failures += 1
          continue
        }
        found.append(file)
        waiting += (inside[next.key] ?? []).shuffled(using: &generator)
      } catch {
        guard error.isAboutOneFile else { throw error }
        failures += 1
      }
    }
    return found
  }

  /// Writes each key of a ring under those others that ``names(_:)`` says, as far as that does not lie there, or something else does. What
  /// cannot be written is left out: newcomers have the password.
  ///
  /// - Returns: what else lies where a wrapped key belongs.
  @discardableResult
  func publish(_ ring: KeyRing, present: Set<WrappedKeyName>) async throws -> [BackendError] {
    var obstructions: [BackendError] = []
    var generator = SecretGenerator(secrets: secrets)
    let names = Self.names(ring).sorted()
    let checked = names.filter(present.contains).shuffled(using: &generator).prefix(Self.checkLimit)
    for name in names {
      if present.contains(name) {
        guard checked.contains(name), try await !isGenuine(name, ring) else { continue }
      }
      guard let file = try wrap(name, ring) else { continue }
      do throws(BackendError) {
        try await backend.upload(file.bytes, to: hierarchy.encryption / name.name)
      } catch {
        guard error.isAboutOneFile else { throw error }
        // Something lies in its place that cannot be replaced. Whoever has the password does without.
        if error.isObstruction { obstructions.append(error) }
      }
    }
    return obstructions
  }
}

/// Chance that nobody can foresee, for choices.
private struct SecretGenerator: RandomNumberGenerator {
  let secrets: any RandomSource

  mutating func next() -> UInt64 {
    var number: UInt64 = 0
    // Without entropy nothing could be sealed either; the first of several is as good a choice as any.
    withUnsafeMutableBytes(of: &number) { buffer in try? secrets.fill(buffer) }
    return number
  }
}

extension BackendError {
  /// Whether something is wrong with one file alone, so that others are worth a try.
  package var isAboutOneFile: Bool {
    switch code {
    case .notFound, .tooLarge, .damaged, .isADirectory, .notADirectory, .forbidden: true
    default: false
    }
  }
}
