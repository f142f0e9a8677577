import CommandLineTool
import SyncProtocol
import WebDAVBackend

/// What tools say of a server's failure: what happened to the remote, and what to do, with their options.
struct RemedyWording {
  let status: ToolStatus
  /// Follows the name of the remote.
  let what: String
  let advice: String
  /// Whether it is about the whole remote, whatever file was asked for.
  let isAboutServer: Bool

  private init(_ status: ToolStatus, _ what: String, _ advice: String, isAboutServer: Bool = true) {
    (self.status, self.what, self.advice) = (status, what, advice)
    self.isAboutServer = isAboutServer
  }

  init(_ remedy: Remedy, detail: String) {
    let words = detail.isEmpty ? "" : " (\(Wording.clause(detail)))"
    self =
      switch remedy {
      case .giveCredentials: Self.noCredentials
      case .checkCredentials:
        Self(
          .forbidden, "refuses the user name and the password, or the token\(words)",
          "check what --credentials-file names, \(RemoteCredentials.variable) or .netrc holds")
      case .offerLogin:
        Self(
          .forbidden, "asks to log in in a way that is not known here\(words)",
          "have the server offer Basic or Digest, best over TLS, or give a token that it takes")
      case .giveProxyCredentials:
        Self(
          .forbidden, "cannot be reached: the proxy asks for a user name and a password\(words)",
          "write them into the proxy's address in http_proxy or https_proxy, with signs such as / # ? @ as % and two digits, or name the host in no_proxy"
        )
      case .trustServer:
        Self(
          .forbidden, "shows a certificate that is not trusted\(words)",
          "if it is the right server, name the file of its certificate authority with --ca-file, or its key with --pin"
        )
      case .checkName:
        Self(
          .forbidden, "shows a certificate for another host\(words)",
          "write the host's name in the address that the certificate is for, have the server show one for this name, or name its key with --pin"
        )
      case .renewCertificate:
        Self(
          .forbidden, "shows a certificate that has expired, or is not valid yet\(words)",
          "check this device's date; if it is right, have the certificate renewed, or name the server's key with --pin"
        )
      case .compareKey:
        Self(
          .forbidden, "shows another key than the one that is pinned\(words)",
          "the key has changed, or this is not your server; compare the pin with the server's key, on the server itself, before you name another one with --pin"
        )
      case .giveCertificate:
        Self(
          .forbidden, "asks for a certificate of this device, and got none that it takes\(words)",
          "name a file with a certificate that the server takes, and its key, with --client-certificate")
      case .mayNeedCertificate:
        Self(
          .remoteUnavailable, "breaks the connection where TLS has just begun\(words)",
          "try again later; if it stays so, check the port, and whether the server wants a certificate of this device, which --client-certificate names"
        )
      case .encrypt:
        Self(
          .forbidden, "is not encrypted, so anybody on the way could read the password\(words)",
          "write webdavs:// if the server speaks TLS, or say --allow-plain-http where nobody can listen")
      case .leaveTLS:
        Self(
          .remoteUnavailable, "speaks no TLS, or none that this device speaks\(words)",
          "check the port in the address; webdav:// is for servers without TLS")
      case .tryTLS:
        Self(
          .remoteUnavailable, "does not understand what it is asked\(words)",
          "check the port in the address, and write webdavs:// if the server speaks TLS there")
      case .checkPort:
        Self(
          .remoteUnavailable, "is no web server\(words)",
          "check the port in the address, and write webdavs:// if the server speaks TLS there")
      case .findWebDAV:
        Self(
          .remoteUnavailable, "is no WebDAV server\(words)",
          "check the address: the folder for WebDAV often has a path of its own; or log in, if the network asks for that"
        )
      case .allowWriting:
        Self(
          .forbidden, "does not let this be written\(words)",
          "check that it is not shared for reading only, and that this account may write there",
          isAboutServer: false)
      case .checkHost:
        Self(
          .remoteUnavailable, "cannot be reached\(words)",
          "check the host's name in the address, and that this device is connected")
      case .checkServer:
        Self(
          .remoteUnavailable, "cannot be reached\(words)",
          "check the host and the port in the address, and that the server runs")
      case .wait:
        Self(
          .remoteUnavailable, "does not answer\(words)",
          "try again later; if it stays so, check the host and the port in the address, which begins with webdavs:// where the server speaks TLS"
        )
      case .checkProxy:
        Self(
          .remoteUnavailable, "cannot be reached: the proxy does not answer, or lets nothing through\(words)",
          "check the address in http_proxy or https_proxy, or name the host in no_proxy")
      case .expectSense:
        Self(
          .remoteUnavailable, "is there and is not there, as the server has it\(words)",
          "try again later; if it stays so, look into the server's log", isAboutServer: false)
      case .expectAnswer:
        Self(
          .remoteUnavailable, "does not answer as a server should\(words)",
          "try again later; if it stays so, look into the server's log", isAboutServer: false)
      case .awaitServer:
        Self(
          .remoteUnavailable, "has trouble\(words)",
          "try again later; if it stays so, ask who runs the server, or look into its log")
      case .askServer:
        Self(
          .remoteUnavailable, "refuses what it is asked\(words)",
          "ask who runs the server, or look into its log", isAboutServer: false)
      case .checkPath:
        Self(
          .remoteUnavailable, "does not exist on the server\(words)",
          "check the path in the address; a folder that was there before must be mounted or put back, one that is to be new must be made first"
        )
      case .findRoot:
        Self(
          .remoteUnavailable,
          "is gone or was never there: nothing lies there, and no WebDAV server answers\(words)",
          "check the address: the folder for WebDAV often has a path of its own; one that was there before must be mounted or put back"
        )
      case .followRedirection:
        Self(
          .remoteUnavailable, "lies elsewhere\(words)",
          "name the address that the server redirects to, if you trust it")
      case .allowLargeFiles:
        Self(
          .full, "takes no file as large as this\(words)",
          "have the server, or the proxy before it, accept larger ones; the next sync continues",
          isAboutServer: false)
      case .emptyFolder:
        Self(
          .damaged, "holds more entries than are read\(words)",
          "remove from it, with another program, what does not belong there; the next sync continues",
          isAboutServer: false)
      }
  }

  private static var noCredentials: RemedyWording {
    let ignored = RemoteCredentials.ignoredFile().map {
      "; “\($0)” was not looked at, because others may read it (chmod 600)"
    }
    return RemedyWording(
      .forbidden, "asks for a user name and a password, and none were given",
      "name a file with the line “user:password” or “bearer TOKEN” with --credentials-file\(ignored ?? "")")
  }
}
