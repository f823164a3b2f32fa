# shellcheck shell=sh
# shellcheck disable=SC2154
# The director says when: certificates are judged by its clock. Certificate and key change in one rename.
renew_certificate() {
  tenths=5
  while ! off; do
    if [ ! -s "$S/next.csr" ]; then
      openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=spillway-node \
        -keyout "$S/next.key" -out "$S/csr.new" 2>/dev/null && mv "$S/csr.new" "$S/next.csr"
    fi
    status=$(call -o "$S/renewed" -w '%{http_code}' --max-time 10 --data-urlencode "csr@$S/next.csr" "$URL/certificate")
    case $status in
      200)
        if renewed_fits; then
          cat "$S/next.key" "$S/renewed" | put "$S/node.pem"
          rm -f "$S/next.csr" "$S/next.key"
          say "the certificate is renewed: $(openssl x509 -in "$S/node.pem" -noout -enddate)"
          renew
          return 0
        fi
        rm -f "$S/next.csr"
        ;;
      403)
        say "the certificate is not renewed: $(head -c 200 "$S/renewed")"
        rm -f "$S/next.csr"
        tenths=600
        ;;
      409)
        rm -f "$S/next.csr" "$S/next.key"
        return 0
        ;;
    esac
    pause "$tenths"
    [ "$tenths" -ge 600 ] || tenths=$((tenths * 2))
  done
}

# An answer that was cut short is none.
renewed_fits() {
  openssl verify -CAfile "$S/ca.pem" "$S/renewed" >/dev/null 2>&1 &&
    [ "$(openssl x509 -in "$S/renewed" -noout -pubkey)" = "$(openssl pkey -in "$S/next.key" -pubout)" ]
}
