// swift-tools-version: 6.1
import PackageDescription

// C libraries of the system, and the thin wrappers over them.
let support: [Target] = [
  .systemLibrary(
    name: "CTICDSCurl", path: "Modules/Support/CCurl", pkgConfig: "libcurl",
    providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
  .systemLibrary(
    name: "CTICDSOpenSSL", path: "Modules/Support/COpenSSL", pkgConfig: "libcrypto",
    providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
  .systemLibrary(
    name: "CTICDSSQLite", path: "Modules/Support/CSQLite", pkgConfig: "sqlite3",
    providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
  .systemLibrary(
    name: "CTICDSZlib", path: "Modules/Support/CZlib", pkgConfig: "zlib",
    providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
  .target(name: "CoreDataFormats", dependencies: ["XMLReading"], path: "Modules/Support/CoreDataFormats"),
  .target(name: "TICDSHTTP", dependencies: ["CTICDSCurl", "Locking"], path: "Modules/Support/HTTP"),
  .target(name: "Locking", path: "Modules/Support/Locking"),
  .target(name: "TICDSOpenSSL", dependencies: ["CTICDSOpenSSL", "Locking"], path: "Modules/Support/OpenSSL"),
  .target(name: "TICDSSQLite", dependencies: ["CTICDSSQLite"], path: "Modules/Support/SQLite"),
  .target(name: "ShownText", path: "Modules/Support/ShownText"),
  .target(name: "SystemErrors", path: "Modules/Support/SystemErrors"),
  .target(name: "CTICDSThreadLocals", path: "Modules/Support/ThreadLocals"),
  .target(name: "UntrustedBytes", path: "Modules/Support/UntrustedBytes"),
  .target(name: "XMLReading", path: "Modules/Support/XMLReading"),
  .target(name: "TICDSZlib", dependencies: ["CTICDSZlib"], path: "Modules/Support/Zlib"),
]

let modules: [Target] = [
  .target(
    name: "ObjectModel",
    dependencies: ["CoreDataFormats", "TICDSOpenSSL", "TICDSZlib", "XMLReading"], path: "Modules/ObjectModel"),
  .target(
    name: "ObjectStore",
    dependencies: [
      "CoreDataFormats", "Locking", "ObjectModel", "TICDSSQLite", "CTICDSThreadLocals", "TICDSZlib",
    ],
    path: "Modules/ObjectStore"),
  .target(name: "Crypto", dependencies: ["TICDSOpenSSL", "UntrustedBytes"], path: "Modules/Crypto"),
  .target(
    name: "ChangeTracking",
    dependencies: ["ObjectStore", "TICDSOpenSSL", "TICDSSQLite", "UntrustedBytes", "TICDSZlib"],
    path: "Modules/ChangeTracking"),
  .target(
    name: "LocalStoreConformance", dependencies: ["ChangeTracking", "ObjectStore", "TICDSSQLite"],
    path: "Modules/LocalStoreConformance"),
  .target(
    name: "SyncProtocol",
    dependencies: [
      "ChangeTracking", "Crypto", "Locking", "TICDSOpenSSL", "TICDSSQLite", "ShownText", "SystemErrors",
      "UntrustedBytes", "TICDSZlib",
    ], path: "Modules/SyncProtocol"),
  .target(
    name: "TICDS", dependencies: ["ChangeTracking", "Crypto", "ObjectStore", "SyncProtocol"],
    path: "Modules/TICDS"),
  .target(
    name: "Inspection",
    dependencies: [
      "ChangeTracking", "CoreDataFormats", "Crypto", "Locking", "ObjectStore", "TICDSSQLite", "ShownText",
      "SyncProtocol", "UntrustedBytes",
    ],
    path: "Modules/Inspection"),
]

let backends: [Target] = [
  .target(
    name: "BackendConformance", dependencies: ["Locking", "SyncProtocol"], path: "Backends/BackendConformance"
  ),
  .target(
    name: "FileManagerBackend", dependencies: ["Locking", "SyncProtocol"], path: "Backends/FileManagerBackend"
  ),
  .target(
    name: "UbiquityFolderBackend", dependencies: ["CoreDataFormats", "Locking", "SyncProtocol"],
    path: "Backends/UbiquityFolderBackend"),
  .target(
    name: "WebDAVBackend", dependencies: ["TICDSHTTP", "Locking", "SyncProtocol", "XMLReading"],
    path: "Backends/WebDAVBackend"
  ),
]

let tools: [Target] = [
  .target(name: "CommandLineTool", dependencies: ["ShownText"], path: "Tools/Support/CommandLineTool"),
  .target(
    name: "RemoteAccess",
    dependencies: [
      "CommandLineTool", "Crypto", "FileManagerBackend", "TICDSHTTP", "Inspection", "TICDSSQLite",
      "SyncProtocol",
      "UbiquityFolderBackend", "WebDAVBackend",
    ],
    path: "Tools/RemoteAccess"),
  .target(
    name: "StoreAccess",
    dependencies: ["CommandLineTool", "CoreDataFormats", "ObjectStore", "TICDSSQLite", "SystemErrors"],
    path: "Tools/StoreAccess"),
  .target(
    name: "InspectionReport",
    dependencies: [
      "ChangeTracking", "Inspection", "Locking", "ObjectStore", "TICDSOpenSSL", "ShownText", "SyncProtocol",
      "UntrustedBytes",
    ],
    path: "Tools/InspectionReport"),
  .target(
    name: "Simulation", dependencies: ["ChangeTracking", "ObjectStore", "TICDSSQLite"],
    path: "Tools/Support/Simulation"),
  .target(
    name: "ProtocolSimulation",
    dependencies: [
      "BackendConformance", "ChangeTracking", "Crypto", "Locking", "ObjectStore", "TICDSOpenSSL",
      "Simulation",
      "SyncProtocol",
    ], path: "Tools/Support/ProtocolSimulation"),
  .target(
    name: "NotebookModel",
    dependencies: [
      "ChangeTracking", "CommandLineTool", "Crypto", "Inspection", "ObjectStore", "RemoteAccess",
      "TICDSSQLite",
      "StoreAccess", "SyncProtocol",
    ], path: "Tools/notebook/NotebookModel"),
  .executableTarget(name: "notebook", dependencies: ["NotebookModel"], path: "Tools/notebook/Program"),
  .executableTarget(
    name: "ticds-bench",
    dependencies: [
      "ByteFixtures", "ChangeTracking", "CTICDSSQLite", "FileManagerBackend", "TICDSHTTP", "Locking",
      "ObjectStore",
      "ProtocolSimulation",
      "Simulation", "TICDSSQLite", "SyncProtocol", "WebDAVBackend", "TICDSZlib",
    ],
    path: "Tools/benchmarks", exclude: ["peers"]),
  .executableTarget(
    name: "ticds-inspect",
    dependencies: [
      "ChangeTracking", "CommandLineTool", "Inspection", "InspectionReport", "ObjectStore", "RemoteAccess",
      "TICDSSQLite", "StoreAccess",
      "SyncProtocol", "UntrustedBytes", "WebDAVBackend",
    ], path: "Tools/ticds-inspect"),
  .executableTarget(
    name: "ticds-store",
    dependencies: [
      "ChangeTracking", "CommandLineTool", "CoreDataFormats", "ObjectStore", "TICDSSQLite", "StoreAccess",
    ],
    path: "Tools/ticds-store"),
]

let tests: [Target] = [
  .target(name: "ByteFixtures", path: "Tests/Support/ByteFixtures"),
  .target(name: "ProcessTesting", path: "Tests/Support/ProcessTesting"),
  .target(name: "SampleFiles", path: "Tests/Support/SampleFiles"),
  .target(name: "TemporaryFolders", path: "Tests/Support/TemporaryFolders"),
  .target(name: "Turns", path: "Tests/Support/Turns"),
  .testTarget(name: "ArchitectureTests", dependencies: ["ProcessTesting"]),
  .testTarget(
    name: "BackendConformanceTests",
    dependencies: [
      "BackendConformance", "FileManagerBackend", "Locking", "ProcessTesting", "TICDSSQLite", "SyncProtocol",
      "TemporaryFolders", "Turns",
    ]),
  .testTarget(
    name: "ChangeTrackingTests",
    dependencies: [
      "ByteFixtures", "ChangeTracking", "LocalStoreConformance", "ObjectStore", "ProcessTesting",
      "Simulation",
      "TICDSSQLite", "TemporaryFolders",
    ],
    exclude: ["Golden"]),
  .testTarget(
    name: "CommandLineToolTests", dependencies: ["ByteFixtures", "CommandLineTool", "ProcessTesting"]),
  .testTarget(
    name: "CoreDataFormatsTests", dependencies: ["ByteFixtures", "CoreDataFormats", "SampleFiles"]),
  .testTarget(
    name: "CryptoTests", dependencies: ["ByteFixtures", "Crypto", "TICDSOpenSSL", "TemporaryFolders"],
    exclude: ["Golden"]),
  .testTarget(
    name: "EndToEndTests",
    dependencies: [
      "ByteFixtures", "Crypto", "TICDSOpenSSL", "ProcessTesting", "notebook", "ticds-inspect", "ticds-store",
    ],
    exclude: ["Browser"]),
  .testTarget(
    name: "FileManagerBackendTests",
    dependencies: [
      "BackendConformance", "FileManagerBackend", "ProcessTesting", "SyncProtocol", "TemporaryFolders",
    ]),
  .testTarget(name: "HTTPTests", dependencies: ["CTICDSCurl", "TICDSHTTP"]),
  .testTarget(
    name: "UbiquityFolderBackendTests",
    dependencies: [
      "BackendConformance", "FileManagerBackend", "Locking", "ProcessTesting", "SyncProtocol",
      "TemporaryFolders", "UbiquityFolderBackend",
    ], exclude: ["provider.py"]),
  .testTarget(
    name: "InspectionTests",
    dependencies: [
      "ChangeTracking", "Crypto", "FileManagerBackend", "Inspection", "Locking", "ObjectStore",
      "TICDSOpenSSL",
      "ProcessTesting", "TICDSSQLite", "SyncProtocol", "TemporaryFolders", "ticds-inspect",
    ]),
  .testTarget(
    name: "InspectionReportTests",
    dependencies: ["ChangeTracking", "Inspection", "InspectionReport", "SyncProtocol"]),
  .testTarget(name: "LockingTests", dependencies: ["Locking"]),
  .testTarget(
    name: "NotebookModelTests",
    dependencies: [
      "ByteFixtures", "ChangeTracking", "CommandLineTool", "NotebookModel", "ObjectStore", "ProcessTesting",
      "RemoteAccess", "SyncProtocol", "TICDSSQLite", "TemporaryFolders",
    ]),
  .testTarget(
    name: "ObjectStoreTests",
    dependencies: [
      "ByteFixtures", "CoreDataFormats", "Locking", "ObjectStore", "ProcessTesting", "SampleFiles",
      "TICDSSQLite",
      "TemporaryFolders",
    ],
    exclude: [
      "CompiledModels/compiled_model.py", "IndependentReader/read.py", "IndependentReader/layout.py",
    ]),
  .testTarget(
    name: "ObjectStoreGuideTests",
    dependencies: ["ObjectStore", "ProcessTesting", "TICDSSQLite", "TemporaryFolders"]),
  .testTarget(name: "OpenSSLTests", dependencies: ["ByteFixtures", "TICDSOpenSSL"]),
  .testTarget(
    name: "ReadmeTests",
    dependencies: [
      "FileManagerBackend", "ProcessTesting", "TICDS", "TemporaryFolders",
    ]),
  .testTarget(
    name: "RemoteAccessTests",
    dependencies: [
      "CommandLineTool", "TICDSHTTP", "RemoteAccess", "SyncProtocol", "TemporaryFolders", "WebDAVBackend",
    ]),
  .testTarget(
    name: "SQLiteTests", dependencies: ["CTICDSSQLite", "Locking", "TICDSSQLite", "TemporaryFolders"]),
  .testTarget(
    name: "SimulationTests",
    dependencies: ["Crypto", "ProcessTesting", "ProtocolSimulation", "Simulation", "ticds-bench"]),
  .testTarget(
    name: "StoreToolTests",
    dependencies: [
      "ByteFixtures", "CoreDataFormats", "ObjectStore", "ProcessTesting", "SampleFiles", "TICDSSQLite",
      "ticds-store",
    ]),
  .testTarget(
    name: "SyncProtocolTests",
    dependencies: [
      "BackendConformance", "ByteFixtures", "ChangeTracking", "Crypto", "CTICDSSQLite", "FileManagerBackend",
      "Inspection", "InspectionReport", "LocalStoreConformance", "Locking", "ObjectStore", "TICDSOpenSSL",
      "ProcessTesting", "TICDSSQLite", "SyncProtocol", "TemporaryFolders", "TICDSZlib",
    ], exclude: ["Golden"]),
  .testTarget(
    name: "TICDSTests",
    dependencies: [
      "BackendConformance", "ChangeTracking", "Crypto", "FileManagerBackend", "ObjectStore", "SyncProtocol",
      "TICDS", "TemporaryFolders",
    ]),
  .testTarget(
    name: "WebDAVBackendTests",
    dependencies: [
      "BackendConformance", "ByteFixtures", "TICDSHTTP", "Locking", "ProcessTesting", "SyncProtocol",
      "TemporaryFolders", "Turns",
      "WebDAVBackend", "XMLReading", "notebook", "ticds-inspect",
    ],
    exclude: ["certificates.py", "faults.py"]),
  .testTarget(name: "UntrustedBytesTests", dependencies: ["UntrustedBytes"]),
  .testTarget(name: "XMLReadingTests", dependencies: ["XMLReading"]),
  .testTarget(name: "ZlibTests", dependencies: ["ByteFixtures", "TICDSZlib"]),
]

let package = Package(
  name: "TICDS",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "ObjectModel", targets: ["ObjectModel"]),
    .library(name: "ObjectStore", targets: ["ObjectStore"]),
    .library(name: "Crypto", targets: ["Crypto"]),
    .library(name: "ChangeTracking", targets: ["ChangeTracking"]),
    .library(name: "LocalStoreConformance", targets: ["LocalStoreConformance"]),
    .library(name: "SyncProtocol", targets: ["SyncProtocol"]),
    .library(name: "TICDS", targets: ["TICDS"]),
    .library(name: "Inspection", targets: ["Inspection"]),
    .library(name: "FileManagerBackend", targets: ["FileManagerBackend"]),
    .library(name: "UbiquityFolderBackend", targets: ["UbiquityFolderBackend"]),
    .library(name: "WebDAVBackend", targets: ["WebDAVBackend"]),
    .library(name: "BackendConformance", targets: ["BackendConformance"]),
    .library(name: "CoreDataFormats", targets: ["CoreDataFormats"]),
    .library(name: "TICDSHTTP", targets: ["TICDSHTTP"]),
    .library(name: "TICDSOpenSSL", targets: ["TICDSOpenSSL"]),
    .library(name: "TICDSSQLite", targets: ["TICDSSQLite"]),
    .library(name: "TICDSZlib", targets: ["TICDSZlib"]),
    .executable(name: "notebook", targets: ["notebook"]),
    .executable(name: "ticds-bench", targets: ["ticds-bench"]),
    .executable(name: "ticds-inspect", targets: ["ticds-inspect"]),
    .executable(name: "ticds-store", targets: ["ticds-store"]),
  ],
  targets: support + modules + backends + tools + tests
)

// `Tools/fuzz` builds these with libFuzzer's instrumentation: the folders of Tests/Fuzz, and what each of them needs.
if Context.environment["TICDS_FUZZ"] != nil {
  let fuzzTargets: [String: [Target.Dependency]] = [
    "ChangeSet": ["ChangeTracking", "TICDSZlib"],
    "ClassicContainer": ["Crypto", "TICDSOpenSSL"],
    "CoreDataFormats": ["CoreDataFormats"],
    "HTTPMessages": ["TICDSHTTP"],
    "Inflate": ["TICDSZlib"],
    "KeyFile": ["Crypto", "TICDSOpenSSL"],
    "Merging": ["ChangeTracking", "ObjectStore"],
    "ModelFile": ["ObjectStore"],
    "Multistatus": ["TICDSHTTP", "WebDAVBackend", "XMLReading"],
    "SealedContainer": ["Crypto", "TICDSOpenSSL"],
    "SmallRecords": ["ChangeTracking", "Crypto", "TICDSOpenSSL", "SyncProtocol"],
  ]
  for (name, dependencies) in fuzzTargets {
    package.targets.append(
      .target(
        name: "Fuzz\(name)", dependencies: dependencies, path: "Tests/Fuzz/\(name)", exclude: ["Corpus"]))
    package.products.append(.library(name: "Fuzz\(name)", type: .static, targets: ["Fuzz\(name)"]))
  }
}

for target in package.targets where target.type != .system {
  target.swiftSettings = [.enableUpcomingFeature("ExistentialAny")]
}

// TICDS_OPTIMIZED compiles with optimisation what tests spend their time in, and keeps its assertions. Each module is compiled by one core, so
// what takes long to compile and little to run is left out.
if Context.environment["TICDS_OPTIMIZED"] != nil {
  let optimized = Set((support + modules + backends).map(\.name)).subtracting(["Inspection"])
    .union(["ProtocolSimulation", "Simulation"])
  for target in package.targets where target.type != .system && optimized.contains(target.name) {
    target.swiftSettings?.append(
      .unsafeFlags(
        ["-O", "-whole-module-optimization", "-num-threads", "2", "-assert-config", "Debug"],
        .when(configuration: .debug)))
  }
}

// TICDS_ONLY=ObjectStoreTests,ticds-store leaves those targets and all that they need: quicker while working in one room.
if let only = Context.environment["TICDS_ONLY"] {
  var needed: Set<String> = []
  var open = only.split(separator: ",").map(String.init)
  while let name = open.popLast() {
    guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
      continue
    }
    for dependency in target.dependencies {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): open.append(name)
      default: break
      }
    }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}
