import Crypto
import OpenSSL

/// Reads and writes wrapped keys, by which devices that hold one key of a remote get the others.
package struct KeyExchange: Sendable {
  /// Keys that a ring takes up at most. Each is genuine, for only who has one of the ring can wrap another with it.
  static let ringLimit = 16
  /// Greatest size of a wrapped key's file in bytes.
  package static let sizeLimit = 4_096
  private static let triesLimit = 64

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

  private func isGenuine(_ name: WrappedKeyName, _ ring: KeyRing) async throws(BackendError) -> Bool {
    do throws(BackendError) {
      let bytes = try await backend.download(hierarchy.encryption / name.name, limit: Self.sizeLimit)
      return Self.open(Wrapped(name: name, bytes: bytes), ring, hierarchy) != nil
    } catch {
      guard error.isAboutOneFile else { throw error }
      return false
    }
  }

  /// Fetches the wrapped keys that add to a ring.
  func fetch(_ names: Set<WrappedKeyName>, for ring: KeyRing) async throws -> [Wrapped] {
    var found: [Wrapped] = []
    var grown = ring
    var tried: Set<WrappedKeyName> = []
    while grown.all.count < Self.ringLimit, tried.count < Self.triesLimit,
      let next = names.subtracting(tried).filter({ grown[$0.key] == nil && grown[$0.wrapping] != nil }).min()
    {
      tried.insert(next)
      let path = hierarchy.encryption / next.name
      do throws(BackendError) {
        found.append(Wrapped(name: next, bytes: try await backend.download(path, limit: Self.sizeLimit)))
      } catch {
        guard error.isAboutOneFile else { throw error }
        continue
      }
      let before = grown.all.count
      grown = Self.adding(found, to: ring, hierarchy)
      if grown.all.count == before { found.removeLast() }
    }
    return found
  }

  /// Writes each key of a ring under each other one that has not been replaced by it, as far as that does not lie there, or something else does. What cannot be written
  /// is left out: newcomers have the password.
  func publish(_ ring: KeyRing, present: Set<WrappedKeyName>) async throws {
    for key in ring.all {
      for wrapping in ring.all
      where wrapping.identifier != key.identifier && Self.mayLie(key, under: wrapping) {
        let name = WrappedKeyName(key.identifier, wrapping: wrapping.identifier)
        if present.contains(name), try await isGenuine(name, ring) { continue }
        let context = SealedContext(role: .wrappedKey, identity: hierarchy.identity(of: name))
        var bytes = key.withUnsafeBytes { Array($0) }
        defer { SecretBytes.erase(&bytes) }
        let sealed = try SealedContainer.seal(bytes, as: context, with: wrapping, random: secrets)
        do throws(BackendError) {
          try await backend.upload(sealed, to: hierarchy.encryption / name.name)
        } catch {
          guard error.isAboutOneFile else { throw error }
          // Something lies in its place that cannot be replaced. Whoever has the password does without.
        }
      }
    }
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
