// swift-tools-version: 6.1
import PackageDescription

let swiftSettings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

let package = Package(
  name: "TICDS",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "ChangeTracking", targets: ["ChangeTracking"]),
    .library(name: "CoreDataFormats", targets: ["CoreDataFormats"]),
    .library(name: "Crypto", targets: ["Crypto"]),
    .library(name: "ObjectStore", targets: ["ObjectStore"]),
    .library(name: "OpenSSL", targets: ["OpenSSL"]),
    .library(name: "SQLite", targets: ["SQLite"]),
    .library(name: "Zlib", targets: ["Zlib"]),
    .library(name: "SyncProtocol", targets: ["SyncProtocol"]),
    .library(name: "FileManagerBackend", targets: ["FileManagerBackend"]),
    .library(name: "BackendConformance", targets: ["BackendConformance"]),
  ],
  targets: [
    .target(
      name: "ObjectStore", dependencies: ["CoreDataFormats", "OpenSSL", "SQLite", "Zlib"],
      path: "Modules/ObjectStore", swiftSettings: swiftSettings),
    .executableTarget(
      name: "ticds-bench",
      dependencies: ["ByteFixtures", "ChangeTracking", "CSQLite", "ObjectStore", "SQLite", "Zlib"],
      path: "Tools/benchmarks", exclude: ["peers"], swiftSettings: swiftSettings),
    .testTarget(
      name: "ObjectStoreTests",
      dependencies: ["ByteFixtures", "CoreDataFormats", "ObjectStore", "SampleFiles", "SQLite"],
      swiftSettings: swiftSettings),
    .target(
      name: "CoreDataFormats", path: "Modules/Support/CoreDataFormats", swiftSettings: swiftSettings),
    .testTarget(
      name: "CoreDataFormatsTests", dependencies: ["ByteFixtures", "CoreDataFormats", "SampleFiles"],
      swiftSettings: swiftSettings),
    .target(name: "SampleFiles", path: "Tests/Support/SampleFiles", swiftSettings: swiftSettings),
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
      name: "CryptoTests", dependencies: ["ByteFixtures", "Crypto", "OpenSSL"], exclude: ["Golden"],
      swiftSettings: swiftSettings),
    .systemLibrary(
      name: "CCurl", path: "Modules/Support/CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(
      name: "CZlib", path: "Modules/Support/CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(
      name: "Zlib", dependencies: ["CZlib"], path: "Modules/Support/Zlib", swiftSettings: swiftSettings),
    .testTarget(
      name: "ZlibTests", dependencies: ["Zlib", "ByteFixtures"], swiftSettings: swiftSettings),
    .target(
      name: "SyncProtocol", dependencies: ["ChangeTracking", "Crypto", "OpenSSL", "SQLite"],
      path: "Modules/SyncProtocol",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SyncProtocolTests",
      dependencies: [
        "BackendConformance", "ByteFixtures", "ChangeTracking", "Crypto", "ObjectStore", "OpenSSL", "SQLite",
        "SyncProtocol",
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "FileManagerBackend", dependencies: ["SyncProtocol"], path: "Backends/FileManagerBackend",
      swiftSettings: swiftSettings),
    .target(
      name: "BackendConformance", dependencies: ["SyncProtocol"], path: "Backends/BackendConformance",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "FileManagerBackendTests",
      dependencies: ["BackendConformance", "FileManagerBackend", "SyncProtocol"],
      swiftSettings: swiftSettings),
    .target(name: "ByteFixtures", path: "Tests/Support/ByteFixtures", swiftSettings: swiftSettings),
    .testTarget(
      name: "SQLiteTests", dependencies: ["SQLite"], swiftSettings: swiftSettings),
    .target(
      name: "ChangeTracking", dependencies: ["ObjectStore", "OpenSSL", "SQLite", "Zlib"],
      path: "Modules/ChangeTracking", swiftSettings: swiftSettings),
    .testTarget(
      name: "ChangeTrackingTests", dependencies: ["ByteFixtures", "ChangeTracking", "ObjectStore", "SQLite"],
      exclude: ["Golden"],
      swiftSettings: swiftSettings),
    .target(
      name: "Simulation", dependencies: ["ChangeTracking", "ObjectStore", "SQLite"],
      path: "Tools/Support/Simulation",
      swiftSettings: swiftSettings),
    .testTarget(name: "SimulationTests", dependencies: ["Simulation"], swiftSettings: swiftSettings),
  ]
)

// Tools: what runs on a command line, and what tests those programs from outside.
package.targets += [
  .target(name: "CommandLineTool", path: "Tools/Support/CommandLineTool", swiftSettings: swiftSettings),
  .target(
    name: "Inspection", dependencies: ["ChangeTracking", "Crypto", "SyncProtocol"],
    path: "Modules/Inspection",
    swiftSettings: swiftSettings),
  .target(
    name: "NotebookModel",
    dependencies: [
      "ChangeTracking", "CommandLineTool", "Crypto", "FileManagerBackend", "ObjectStore", "OpenSSL",
      "RemoteAccess", "SQLite", "SyncProtocol",
    ], path: "Tools/notebook/NotebookModel", swiftSettings: swiftSettings),
  .executableTarget(
    name: "notebook", dependencies: ["NotebookModel"], path: "Tools/notebook/Program",
    swiftSettings: swiftSettings),
  .target(
    name: "RemoteAccess", dependencies: ["CommandLineTool", "SQLite", "SyncProtocol"],
    path: "Tools/RemoteAccess",
    swiftSettings: swiftSettings),
  .executableTarget(
    name: "ticds-inspect",
    dependencies: [
      "ChangeTracking", "CommandLineTool", "FileManagerBackend", "Inspection", "ObjectStore", "RemoteAccess",
    ], path: "Tools/ticds-inspect", swiftSettings: swiftSettings),
  .executableTarget(
    name: "ticds-store", dependencies: ["CommandLineTool", "CoreDataFormats", "ObjectStore", "SQLite"],
    path: "Tools/ticds-store", swiftSettings: swiftSettings),
  .target(name: "ProcessTesting", path: "Tests/Support/ProcessTesting", swiftSettings: swiftSettings),
  .testTarget(name: "ArchitectureTests", dependencies: ["ProcessTesting"], swiftSettings: swiftSettings),
  .testTarget(
    name: "CommandLineToolTests", dependencies: ["CommandLineTool", "ProcessTesting"],
    swiftSettings: swiftSettings),
  .testTarget(
    name: "StoreToolTests", dependencies: ["ProcessTesting", "SampleFiles", "ticds-store"],
    swiftSettings: swiftSettings),
  .testTarget(
    name: "EndToEndTests", dependencies: ["ProcessTesting", "notebook", "ticds-inspect"],
    swiftSettings: swiftSettings),
  .testTarget(
    name: "InspectionTests",
    dependencies: [
      "ChangeTracking", "Crypto", "FileManagerBackend", "Inspection", "ObjectStore", "SyncProtocol",
    ], swiftSettings: swiftSettings),
  .testTarget(
    name: "NotebookModelTests", dependencies: ["CommandLineTool", "Crypto", "NotebookModel"],
    swiftSettings: swiftSettings),
  .testTarget(
    name: "ReadmeTests",
    dependencies: ["ChangeTracking", "FileManagerBackend", "ObjectStore", "ProcessTesting", "SyncProtocol"],
    swiftSettings: swiftSettings),
  .testTarget(
    name: "RemoteAccessTests", dependencies: ["CommandLineTool", "RemoteAccess", "SyncProtocol"],
    swiftSettings: swiftSettings),
]

package.products += [
  .executable(name: "notebook", targets: ["notebook"]),
  .executable(name: "ticds-inspect", targets: ["ticds-inspect"]),
  .executable(name: "ticds-store", targets: ["ticds-store"]),
  .library(name: "Inspection", targets: ["Inspection"]),
]

// `Tools/fuzz` builds these with libFuzzer's instrumentation: the folders of Tests/Fuzz, and what each of them needs.
if Context.environment["TICDS_FUZZ"] != nil {
  let fuzzTargets: [String: [Target.Dependency]] = [
    "ChangeSet": ["ChangeTracking", "Zlib"],
    "ClassicContainer": ["Crypto", "OpenSSL"],
    "CoreDataFormats": ["CoreDataFormats"],
    "Inflate": ["Zlib"],
    "ModelFile": ["ObjectStore"],
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
