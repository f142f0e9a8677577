// swift-tools-version: 6.1
import PackageDescription

let swiftSettings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

let package = Package(
  name: "TICDS",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "ChangeTracking", targets: ["ChangeTracking"]),
    .library(name: "Crypto", targets: ["Crypto"]),
    .library(name: "ObjectStore", targets: ["ObjectStore"]),
    .library(name: "OpenSSL", targets: ["OpenSSL"]),
    .library(name: "SQLite", targets: ["SQLite"]),
    .library(name: "Zlib", targets: ["Zlib"]),
    .executable(name: "ticds-bench", targets: ["Benchmarks"]),
  ],
  targets: [
    .target(
      name: "ObjectStore", dependencies: ["OpenSSL", "SQLite"], path: "Modules/ObjectStore",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "ObjectStoreTests", dependencies: ["ObjectStore", "SQLite"], swiftSettings: swiftSettings),
    .systemLibrary(
      name: "CSQLite", path: "Modules/Support/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "SQLite", dependencies: ["CSQLite"], path: "Modules/Support/SQLite",
      swiftSettings: swiftSettings),
    .systemLibrary(
      name: "COpenSSL", path: "Modules/Support/COpenSSL", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .target(
      name: "OpenSSL", dependencies: ["COpenSSL"], path: "Modules/Support/OpenSSL",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "OpenSSLTests", dependencies: ["OpenSSL", "ByteFixtures"], swiftSettings: swiftSettings),
    .target(
      name: "Crypto", dependencies: ["OpenSSL"], path: "Modules/Crypto", swiftSettings: swiftSettings),
    .testTarget(
      name: "CryptoTests", dependencies: ["Crypto", "ByteFixtures"], exclude: ["Golden"],
      swiftSettings: swiftSettings),
    .systemLibrary(
      name: "CZlib", path: "Modules/Support/CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "Zlib", dependencies: ["CZlib"], path: "Modules/Support/Zlib", swiftSettings: swiftSettings),
    .testTarget(
      name: "ZlibTests", dependencies: ["Zlib", "ByteFixtures"], swiftSettings: swiftSettings),
    .target(name: "ByteFixtures", path: "Tests/Support/ByteFixtures", swiftSettings: swiftSettings),
    .testTarget(
      name: "SQLiteTests", dependencies: ["SQLite"], swiftSettings: swiftSettings),
    .target(
      name: "ChangeTracking", dependencies: ["ObjectStore", "OpenSSL", "SQLite", "Zlib"],
      path: "Modules/ChangeTracking", swiftSettings: swiftSettings),
    .testTarget(
      name: "ChangeTrackingTests", dependencies: ["ByteFixtures", "ChangeTracking", "ObjectStore", "SQLite"],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "Benchmarks",
      dependencies: ["ByteFixtures", "ChangeTracking", "CSQLite", "ObjectStore", "SQLite", "Zlib"],
      path: "Tools/benchmarks", exclude: ["peers"], swiftSettings: swiftSettings),
  ]
)

// `Tools/fuzz` builds these with libFuzzer's instrumentation: the folders of Tests/Fuzz, and what each of them needs.
if Context.environment["TICDS_FUZZ"] != nil {
  let fuzzTargets: [String: [Target.Dependency]] = [
    "ClassicContainer": ["Crypto", "OpenSSL"],
    "Inflate": ["Zlib"],
    "KeyFile": ["Crypto", "OpenSSL"],
    "SealedContainer": ["Crypto", "OpenSSL"],
  ]
  for (name, dependencies) in fuzzTargets {
    package.targets.append(
      .target(
        name: "Fuzz\(name)", dependencies: dependencies, path: "Tests/Fuzz/\(name)", exclude: ["Corpus"],
        swiftSettings: swiftSettings))
    package.products.append(.library(name: "Fuzz\(name)", type: .static, targets: ["Fuzz\(name)"]))
  }
}
