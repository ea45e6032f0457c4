// Makes the classes of one JavaScript environment.
#include "instance.h"

#include "aoti-object.h"
#include "capture-object.h"
#include "direct-object.h"
#include "file-object.h"
#include "plan-object.h"
#include "run-object.h"
#include "storage-object.h"
#include "tensor-object.h"

namespace pt2 {

Instance::Instance(Napi::Env env)
    : tensor(Napi::Persistent(TensorObject::define(env))),
      storage(Napi::Persistent(StorageObject::define(env))),
      file(Napi::Persistent(FileObject::define(env))),
      plan(Napi::Persistent(PlanObject::define(env))),
      run(Napi::Persistent(RunObject::define(env))),
      capture(Napi::Persistent(CaptureObject::define(env))),
      direct(Napi::Persistent(DirectObject::define(env))),
      aoti(Napi::Persistent(AotiObject::define(env))),
      promises(Promises::open(env)) {}

}  // namespace pt2
