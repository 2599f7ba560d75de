package schema

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// format is a form of text. The pattern takes all that has the form; where it
// takes more, check tells.
type format struct {
	name  string
	re    *regexp.Regexp
	check func(string) bool
}

const (
	dateForm     = `\d{4}-\d\d-\d\d`
	timeForm     = `\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)`
	pointerForm  = `(/([^/~]|~[01])*)*`
	hostForm     = `(?i:[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*(?i:[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)\.?`
	noControls   = `[^\x00-\x1f\x7f]*`
	mailNameForm = `("[^"\\]*"|[A-Za-z0-9!#$%&'*+/=?^_{|}~` + "`" + `-]+(\.[A-Za-z0-9!#$%&'*+/=?^_{|}~` + "`" + `-]+)*)`
)

// formatOf knows the formats that are asserted: those of JSON Schema that Go
// and a pattern can tell. The others only describe.
func formatOf(name string) (expr string, check func(string) bool, known bool) {
	switch name {
	case "date":
		return dateForm, isDate, true
	case "time":
		return timeForm, isTime, true
	case "date-time":
		return dateForm + `[Tt]` + timeForm, func(s string) bool { return isDate(s[:10]) && isTime(s[11:]) }, true
	case "duration":
		const units = `(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+S)?)?`
		return `P(\d+W|` + units + `)`, func(s string) bool { return s != "P" && !strings.HasSuffix(s, "T") }, true
	case "uuid":
		return `(?i:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})`, nil, true
	case "ipv4":
		return `\d{1,3}(\.\d{1,3}){3}`, isIP, true
	case "ipv6":
		return `[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*`, isIP, true
	case "hostname":
		return hostForm, isHost, true
	case "email":
		return `(?s:.)*@.*`, isEmail, true
	case "uri", "iri":
		return `[A-Za-z][A-Za-z0-9+.-]*:` + noControls, isURL, true
	case "uri-reference", "iri-reference":
		return `[^\x00-\x1f\x7f\\]*`, isURL, true
	case "uri-template":
		return noControls, func(s string) bool { return braced(s) && isURL(s) }, true
	case "json-pointer":
		return pointerForm, nil, true
	case "relative-json-pointer":
		return `(0|[1-9]\d*)(#|` + pointerForm + `)`, nil, true
	}
	return "", nil, false
}

// format reads the keyword: a branch with the pattern, and for one call also
// the list of its text that is in it only by its look.
func (r *reader) format(s *jsonschema.Schema, v any) {
	name, ok := v.(string)
	if !ok {
		r.fail("not a name")
	}
	expr, check, known := formatOf(name)
	if !known {
		if r.strict {
			r.fail("the format %s is not known", quoted(name))
		}
		return
	}
	expr = "^(?:" + expr + ")$"
	b := &jsonschema.Schema{Pattern: expr}
	if r.exact != nil && len(r.exact.bad[name]) > 0 {
		b.Not = &jsonschema.Schema{Enum: r.exact.bad[name]}
	}
	r.branch(s, "format", b)
	if check != nil {
		r.formats = append(r.formats, format{name, regexp.MustCompile(expr), check})
	}
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isTime looks at a time that has the form already. A leap second is the last
// of a day at Greenwich.
func isTime(s string) bool {
	two := func(at int) int {
		n, _ := strconv.Atoi(s[at : at+2])
		return n
	}
	hour, minute, second := two(0), two(3), two(6)
	zone := 0
	if end := len(s) - 6; s[len(s)-1]|0x20 != 'z' {
		if two(end+1) > 23 || two(end+4) > 59 {
			return false
		}
		if zone = two(end+1)*60 + two(end+4); s[end] == '-' {
			zone = -zone
		}
	}
	const day = 24 * 60
	last := (hour*60+minute-zone+day)%day == day-1
	return hour < 24 && minute < 60 && (second < 60 || second == 60 && last)
}

func isIP(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}

func isHost(s string) bool { return len(strings.TrimSuffix(s, ".")) <= 253 }

// isEmail looks at an address whose parts the @ divides.
func isEmail(s string) bool {
	i := strings.LastIndexByte(s, '@')
	name, host := s[:i], s[i+1:]
	if len(s) > 254 || len(name) > 64 || !matches(mailNameForm, name) {
		return false
	}
	if ip, ok := strings.CutPrefix(host, "["); ok && strings.HasSuffix(ip, "]") {
		ip, six := strings.CutPrefix(strings.TrimSuffix(ip, "]"), "IPv6:")
		return strings.Contains(ip, ":") == six && !strings.Contains(ip, "%") && isIP(ip)
	}
	return matches(hostForm, host) && isHost(host)
}

func matches(expr, s string) bool {
	re, err := regexp.Compile("^(?:" + expr + ")$")
	return err == nil && re.MatchString(s)
}

// isURL is for references too: the pattern of the others asks for a scheme.
func isURL(s string) bool {
	u, err := url.Parse(s)
	if err != nil {
		return false
	}
	host := u.Hostname()
	return !strings.Contains(host, ":") || strings.Contains(u.Host, "[") && !strings.Contains(host, "%") && isIP(host)
}

// braced reports whether each brace is closed before the next one opens and
// within its step of the path.
func braced(s string) bool {
	open := false
	for _, c := range s {
		switch {
		case c == '{' && open, c == '}' && !open, c == '/' && open:
			return false
		case c == '{', c == '}':
			open = c == '{'
		}
	}
	return !open
}
