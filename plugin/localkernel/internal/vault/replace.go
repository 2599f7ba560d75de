package vault

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// create writes a new file, never over another.
func (s *spot) create(w Write, data []byte) error {
	if _, err := s.root.Lstat(s.name); err == nil {
		return ErrExists
	}
	if err := s.writeTemp(w, data, nil, 0o666); err != nil {
		return errors.Join(err, s.drop(w.Temp))
	}
	if err := moveNew(s.dir, w.Temp, s.name); err != nil {
		return errors.Join(err, s.drop(w.Temp))
	}
	if err := s.f.hook(StepSwapped); err != nil {
		return err
	}
	return s.finish(w.Temp)
}

// replace puts the new bytes in the file's place.
func (s *spot) replace(w Write, data []byte) error {
	old, mode, err := s.expect(w.Before)
	if err != nil {
		return err
	}
	defer closeFile(old)
	if err := s.writeTemp(w, data, old, mode); err != nil {
		return errors.Join(err, s.drop(w.Temp))
	}
	err = exchange(s.dir, w.Temp, s.name)
	if errors.Is(err, errors.ErrUnsupported) {
		return s.replacePlainly(w)
	}
	if err != nil {
		return errors.Join(err, s.drop(w.Temp))
	}
	if err := s.f.hook(StepSwapped); err != nil {
		return err
	}
	if err := s.checkOut(w, old); err != nil {
		return err
	}
	if err := s.f.hook(StepChecked); err != nil {
		return err
	}
	return s.finish(w.Temp)
}

// A program that saves in place has the file open for writing meanwhile. It is
// given a moment: mostHeld in all, a look each heldPause.
const (
	mostHeld  = 500 * time.Millisecond
	heldPause = 2 * time.Millisecond
)

// expect opens the file when it is a plain file with the expected bytes and no
// program is writing it.
func (s *spot) expect(hash string) (*os.File, fs.FileMode, error) {
	for began := time.Now(); ; time.Sleep(heldPause) {
		old, mode, err := s.expectOnce(hash)
		if err != nil || !heldForWriting(old) {
			return old, mode, err
		}
		closeFile(old)
		if time.Since(began) >= mostHeld {
			return nil, 0, &ReadOnly{Reason: "open_for_writing"}
		}
	}
}

func (s *spot) expectOnce(hash string) (*os.File, fs.FileMode, error) {
	info, err := s.root.Lstat(s.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, &Changed{}
	}
	if err != nil {
		return nil, 0, err
	}
	found, err := s.hashOf(s.name)
	if err != nil {
		return nil, 0, err
	}
	if found != hash {
		return nil, 0, &Changed{Hash: found}
	}
	old, err := s.root.OpenFile(s.name, openFlags, 0)
	if err != nil {
		return nil, 0, err
	}
	if linksOf(old) > 1 {
		closeFile(old)
		return nil, 0, &ReadOnly{Reason: "hard_link"}
	}
	return old, info.Mode(), nil
}

// replacePlainly is for file systems that cannot exchange: look once more, then
// rename over it.
func (s *spot) replacePlainly(w Write) error {
	found, err := s.hashOf(s.name)
	if err == nil && found != w.Before {
		err = &Changed{Hash: found}
	}
	if err == nil {
		err = overwrite(s.dir, w.Temp, s.name)
	}
	if err != nil {
		return errors.Join(err, s.drop(w.Temp))
	}
	if err := s.f.hook(StepSwapped); err != nil {
		return err
	}
	return s.finish(w.Temp)
}

// finish makes the folder durable and takes the temp file away.
func (s *spot) finish(temp string) error {
	if err := syncFolder(s.dir); err != nil {
		return err
	}
	if err := s.f.hook(StepDurable); err != nil {
		return err
	}
	if err := s.drop(temp); err != nil {
		return err
	}
	return s.f.hook(StepCleaned)
}

// checkOut looks at what came out of the exchange. Another program's save goes
// back in place, and the write is a *Changed. old is the file that was expected:
// by now it has no name that a program knows, so that whoever does not hold it
// open for writing can change it no more, and what is read after that is final.
func (s *spot) checkOut(w Write, old *os.File) error {
	held := heldForWriting(old)
	out, err := s.hashOf(w.Temp)
	if err != nil {
		return err
	}
	if !held && out == w.Before || out == "" { // "": somebody swept our temp files
		return nil
	}
	if err := s.putBack(w.Temp, out, w.After); err != nil {
		return err
	}
	if err := s.f.hook(StepReturned); err != nil {
		return err
	}
	now, err := s.hashOf(s.name)
	if err != nil {
		return err
	}
	return errors.Join(&Changed{Hash: now}, s.finish(w.Temp))
}

// maxReturns bounds putBack against a program that saves without end.
const maxReturns = 1000

// putBack exchanges the temp file, which holds another program's save, with the
// file in place, which was ours. What comes out must be what was put in the
// time before; else it is a still later save, and is put back in turn.
func (s *spot) putBack(temp, held, ours string) error {
	for range maxReturns {
		err := exchange(s.dir, temp, s.name)
		if errors.Is(err, fs.ErrNotExist) { // the other program took its file away
			return nil
		}
		if err != nil {
			return err
		}
		out, err := s.hashOf(temp)
		if err != nil {
			return err
		}
		if out == ours {
			return nil
		}
		held, ours = out, held
	}
	return &Storage{Cause: errors.New("the file is saved without end by another program")}
}

// remove takes a file away when it has the expected bytes.
func (s *spot) remove(w Write) error {
	old, _, err := s.expect(w.Before)
	if err != nil {
		return err
	}
	defer closeFile(old)
	if err := moveNew(s.dir, s.name, w.Temp); err != nil {
		return err
	}
	if err := s.f.hook(StepSwapped); err != nil {
		return err
	}
	held := heldForWriting(old)
	out, err := s.hashOf(w.Temp)
	if err != nil {
		return err
	}
	if held || out != w.Before {
		return s.restore(w.Temp, out)
	}
	return s.finish(w.Temp)
}

// restore gives a file that should not have been taken its name back.
func (s *spot) restore(temp, hash string) error {
	err := moveNew(s.dir, temp, s.name)
	if err == nil {
		return errors.Join(&Changed{Hash: hash}, syncFolder(s.dir))
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	stray, err := s.bytes(temp) // a newer file has the name already
	if err != nil {
		return err
	}
	return errors.Join(&Changed{Hash: hash, Stray: stray}, s.finish(temp))
}
