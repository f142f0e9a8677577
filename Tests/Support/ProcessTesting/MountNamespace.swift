#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A name space in which a test's program may mount file systems, where the system lets it.
public enum MountNamespace {
  /// The words before the program's own.
  public static let words =
    ["unshare"] + (geteuid() == 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"])

  /// Whether the system lets a test mount a file system.
  public static let isPermitted = Subprocess.succeeds(words + ["mount", "-t", "tmpfs", "none", "/mnt"])
}
